// inputs: n=0..7 m=0..3
// paths: 20
// Functions that call each other, and one that calls itself for its argument.
#include <klee/klee.h>

static int odd(unsigned n);
static int even(unsigned n) { return n == 0 ? 1 : odd(n - 1); }
static int odd(unsigned n) { return n == 0 ? 0 : even(n - 1); }

static unsigned deep(unsigned n, unsigned m) {
    if (n > 12) return n;
    if (m == 0) return n + 1;
    return deep(deep(n, m - 1), m - 1);
}

int main(void) {
    unsigned n = (unsigned)klee_range(0, 8, "n"), m = (unsigned)klee_range(0, 4, "m");
    if (even(n) == odd(n)) return 1; /* never */
    if (odd(n)) return 2;
    if (deep(n, m) > 9) return 3;
    return 4;
}
