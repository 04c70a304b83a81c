// CWE-1335: a bit of a mask by a number that is too large.
// run: --sym-arg 2 --check overflow
// error: shift too far
#include <stdlib.h>

int main(int argc, char **argv) {
    int bit = atoi(argv[1]);
#ifdef GOOD
    if (bit < 0 || bit > 31)
        return 1;
#else
    if (bit < 0)
        return 1;
#endif
    return (0x80000001u >> bit) & 1u;
}
