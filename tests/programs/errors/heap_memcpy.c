// A library function that is told to write too much.
#include <stdlib.h>
#include <string.h>

int main(void) {
    char *buffer = malloc(10);
    memset(buffer, 'x', 11);
    free(buffer);
    return 0;
}
