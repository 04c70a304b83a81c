// free of a pointer into the middle.
#include <stdlib.h>
#include <string.h>

int main(void) {
    char *text = strdup("   indented");
    while (*text == ' ')
        text++;
    free(text);
    return 0;
}
