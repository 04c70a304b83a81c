// A string copied into memory without room for its end.
#include <stdlib.h>

static void copy(char *to, const char *from) {
    while ((*to++ = *from++))
        ;
}

int main(void) {
    char *copied = malloc(5);
    copy(copied, "hello");
    free(copied);
    return 0;
}
