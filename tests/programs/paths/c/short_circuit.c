// inputs: a=0..7 b=0..7 c=0..7
// paths: 18
// Conditions that stop half-way, chains of conditional expressions, and conditions that are only numbers.
#include <klee/klee.h>

int main(void) {
    unsigned char a, b, c;
    klee_make_symbolic(&a, 1, "a");
    klee_make_symbolic(&b, 1, "b");
    klee_make_symbolic(&c, 1, "c");
    klee_assume((a < 8) & (b < 8) & (c < 8));
    int plain = (a < b) + (b < c); /* decides nothing yet */
    if ((a == 0 && b == 1) || (b == 2 && !(c > 3 || a == 4))) return 1;
    int size = a > 4 ? b > 4 ? 3 : 2 : c > 4 ? 1 : 0;
    if (plain == 2) {
        if (size > 1) return 2;
        return 3;
    }
    switch (size) {
    case 0: return 0;
    case 1: return 1;
    case 2: return 2;
    default: return 3;
    }
}
