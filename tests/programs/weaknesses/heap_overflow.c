// CWE-122: a string from the environment goes to memory that has no room for its end.
// run: --sym-env NAME=4
// error: out-of-bounds write
#include <stdlib.h>
#include <string.h>

int main(void) {
    const char *name = getenv("NAME");
    if (!name)
        return 1;
#ifdef GOOD
    char *copy = malloc(strlen(name) + 1);
#else
    char *copy = malloc(strlen(name));
#endif
    if (!copy)
        return 1;
    strcpy(copy, name);
    int is_root = strcmp(copy, "root") == 0;
    free(copy);
    return is_root;
}
