// inputs: n=-2147483648,-7,0,9 d=-2..3
// paths: 7
// Division by zero, and the one quotient that is too large; remainders. Three ways for a negative divisor, four for the others.
#include <klee/klee.h>
#include <limits.h>

int main(void) {
    int n, d = klee_range(-2, 4, "d");
    klee_make_symbolic(&n, sizeof n, "n");
    klee_assume((n == INT_MIN) | (n == -7) | (n == 0) | (n == 9));
    if (d < 0) {
        if (n / d > 0) return 1;
        return 2;
    }
    if (n % d == 0) return 3;
    unsigned positive = (unsigned)n / (unsigned)d;
    if (positive > 1000) return 4;
    return 5;
}
