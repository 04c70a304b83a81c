// inputs: x=0..15 y=0..3
// paths: 7
// Memory that is read and written as often as the program says, across a loop and a function.
#include <klee/klee.h>

static volatile int ticks, limit;

static int tick(volatile int *at) {
    *at += 1;
    return *at;
}

int main(void) {
    volatile int x = klee_range(0, 16, "x");
    limit = klee_range(0, 4, "y");
    while (tick(&ticks) <= limit) x = x - 3;
    if (ticks != limit + 1) return 1; /* never */
    int first = x, second = x;
    if (first != second) return 2; /* never */
    if (x < 0) return 3;
    return 4;
}
