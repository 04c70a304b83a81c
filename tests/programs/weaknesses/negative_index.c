// CWE-129: a number is checked against its upper bound only, and may be negative.
// run: --sym-arg 3
// error: out-of-bounds
#include <stdlib.h>

int main(int argc, char **argv) {
    int table[10] = {3, 1, 4, 1, 5, 9, 2, 6, 5, 3};
    int index = atoi(argv[1]);
    if (index >= 10)
        return 1;
#ifdef GOOD
    if (index < 0)
        return 2;
#endif
    return table[index] > 4;
}
