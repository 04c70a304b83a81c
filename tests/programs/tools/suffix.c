// Strips a suffix from a name, as basename does. An empty name has no last character.
// run: --sym-args 1 2 3
// error: out-of-bounds read
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int main(int argc, char **argv) {
    char *name = strdup(argv[1]);
    if (!name)
        return 1;
    size_t length = strlen(name);
#ifdef GOOD
    while (length > 1 && name[length - 1] == '/')
#else
    while (name[length - 1] == '/' && length != 1)
#endif
        name[--length] = '\0';
    if (argc > 2) {
        size_t suffix = strlen(argv[2]);
        if (suffix < length && strcmp(name + length - suffix, argv[2]) == 0)
            name[length - suffix] = '\0';
    }
    puts(name);
    free(name);
    return 0;
}
