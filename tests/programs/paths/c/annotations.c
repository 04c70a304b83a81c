// inputs: a=-3..4 b=-3..8 klee_choose=0..2 klee_choose_2=0..4
// paths: 7
// What a program can say to the engine about its inputs.
#include <klee/klee.h>

int main(void) {
    int a = klee_range(-3, 5, "a");
    int b = klee_int("b");
    klee_assume((b >= -3) & (b <= 8));
    uintptr_t which = klee_choose(3);
    klee_assume(a < b);
    if (which == 0) {
        if (a + b == 7) klee_silent_exit(3);
        return 0;
    }
    if (which == 1) {
        klee_assume(b != 0 && a > 0);
        if (a * b > 20) return 1;
        klee_silent_exit(2); /* nothing is left */
    }
    uintptr_t more = klee_choose(5);
    if (more == 4) klee_report_error(__FILE__, __LINE__, "four", "err");
    if (more > 1) {
        if (b > 0) return 3;
        return 4;
    }
    if (a == -3) return 5;
    return 6;
}
