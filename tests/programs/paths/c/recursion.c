// inputs: n=0..7 m=0..2
// paths: 21
// Recursion that ends by input: 7 ways for Fibonacci (0 and 1 are the same), 3 for the parity of m by mutual recursion.
#include <klee/klee.h>

static int fibonacci(int n) {
    if (n < 2) return n;
    return fibonacci(n - 1) + fibonacci(n - 2);
}

static int is_odd(unsigned m);
static int is_even(unsigned m) { return m == 0 ? 1 : is_odd(m - 1); }
static int is_odd(unsigned m) { return m == 0 ? 0 : is_even(m - 1); }

int main(void) {
    unsigned char n, m;
    klee_make_symbolic(&n, sizeof n, "n");
    klee_assume(n <= 7);
    klee_make_symbolic(&m, sizeof m, "m");
    klee_assume(m <= 2);
    int value = fibonacci(n);
    if (is_even(m)) return value > 200 ? 3 : 0;
    return 1;
}
