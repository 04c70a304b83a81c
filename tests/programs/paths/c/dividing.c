// inputs: a=-2147483648,-7,-1,0,7,2147483647 b=-2147483648,-2,-1,0,2,3
// paths: 11
// Division and remainder, signed and unsigned: towards zero, by zero, and the one quotient that does not fit.
#include <klee/klee.h>

int main(void) {
    int a = klee_int("a"), b = klee_int("b");
    klee_assume((a == -2147483647 - 1) | (a == -7) | (a == -1) | (a == 0) | (a == 7) | (a == 2147483647));
    klee_assume((b == -2147483647 - 1) | (b == -2) | (b == -1) | (b == 0) | (b == 2) | (b == 3));
    unsigned quotient = (unsigned)a / 3u;
    if (quotient > 1431655760u) {
        if ((unsigned)a % 10u == 5) return 1;
        if (a / b) return 2;
        return 3;
    }
    int remainder;
    /* Two reasons to trap. */
    if (b)
        remainder = a % b;
    else
        remainder = a % b;
    if (remainder < 0) return 4;
    if (remainder == 1) {
        if (b < 0) return 5;
        return 6;
    }
    unsigned char small = (unsigned char)a;
    if (small / 2 * 2 != small) return 7;
    if ((long)a / b == a / b) return 8;
    return 9;
}
