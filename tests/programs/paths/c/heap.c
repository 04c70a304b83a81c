// inputs: n=0..7 x=0..15
// paths: 13
// Memory of a symbolic size, filled and summed: the size is one path a value, and the loop tells them apart anyhow. The sum can
// exceed 30 from n = 3 on, 3 + 5 * 2.
#include <klee/klee.h>
#include <stdlib.h>

int main(void) {
    unsigned n, x;
    klee_make_symbolic(&n, sizeof n, "n");
    klee_assume(n < 8);
    klee_make_symbolic(&x, sizeof x, "x");
    klee_assume(x < 16);
    int *numbers = malloc(n * sizeof *numbers);
    for (unsigned i = 0; i < n; i++) numbers[i] = (int)(i * x);
    int sum = 0;
    for (unsigned i = 0; i < n; i++) sum += numbers[i];
    free(numbers);
    if (sum > 30) return 1;
    return 0;
}
