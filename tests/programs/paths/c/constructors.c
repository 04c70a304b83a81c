// inputs: early=0..3 late=0..7
// paths: 7
// Code that runs before main, in the order of its priorities, and makes input there; and code that runs after it.
#include <klee/klee.h>
#include <stdlib.h>

static int order, early, doubled;

__attribute__((constructor(300))) static void second(void) {
    doubled = 2 * early;
    if (order++ != 1) klee_silent_exit(1); /* never */
    if (early == 3) exit(7);
}

__attribute__((constructor(200))) static void first(void) {
    early = klee_range(0, 4, "early");
    order = 1;
}

__attribute__((destructor)) static void last(void) {
    if (early == 2) _Exit(doubled == 4 ? 8 : 9);
}

static void at_exit(void) {
    if (early == 1) _Exit(5);
}

int main(void) {
    int late = klee_range(0, 8, "late");
    if (order != 2) return 1; /* never */
    atexit(at_exit);
    if (late > doubled) return 2;
    return 3;
}
