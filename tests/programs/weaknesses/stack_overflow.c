// CWE-121: an argument is copied to a buffer on the stack, however long it is.
// run: --sym-arg 8
// error: out-of-bounds write
#include <stdio.h>
#include <string.h>

int main(int argc, char **argv) {
    char name[8];
#ifdef GOOD
    if (strlen(argv[1]) >= sizeof name)
        return 1;
#endif
    strcpy(name, argv[1]);
    puts(name[0] == 'x' ? "x" : "other");
    return 0;
}
