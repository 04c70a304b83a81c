// inputs: klee_choose=0..3 klee_choose_2=0..1 x=-2..3 x_2=0..3
// paths: 10
// Choices and ranges, two inputs of one name, wishes for a test's values, and questions whose answers do not bind the run.
#include <klee/klee.h>

int main(void) {
    uintptr_t which = klee_choose(4);
    int x = klee_range(-2, 4, "x"), other = klee_range(0, 4, "x");
    klee_prefer_cex(&x, x == 3);
    klee_prefer_cex(&other, other > x);
    if (which < 2) {
        int value = klee_get_value_i32(x);
        if (value < -2 || value > 3) return 1; /* never */
        if (x == -2) return 2;
        if (x > other) return 3;
        return 4;
    }
    uintptr_t more = which == 2 ? klee_choose(1) : klee_choose(2);
    if (more == 0) {
        klee_assume(x != other);
        if (x < 0) return 5;
        return 6;
    }
    klee_assume((other == 0) | (x == 3));
    if (other == x) return 7;
    if (x + other == 5) return 8;
    return 9;
}
