// CWE-134: what the user writes is a format.
// run: --sym-arg 2
// error: out-of-bounds read
#include <stdio.h>

int main(int argc, char **argv) {
#ifdef GOOD
    printf("%s", argv[1]);
#else
    printf(argv[1]);
#endif
    return 0;
}
