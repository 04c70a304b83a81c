// inputs: a=0..15 b=0..15
// paths: 13
// Ends in many places, with status and without clean-up; a status that is an input is one path a value.
#include <klee/klee.h>
#include <stdlib.h>
#include <unistd.h>

static void deep(int level, int a) {
    if (level == 0) {
        if (a == 9) exit(40);
        if (a == 10) _Exit(41);
        return;
    }
    deep(level - 1, a);
}

static void at_the_end(void) {}

int main(void) {
    int a = klee_range(0, 16, "a"), b = klee_range(0, 16, "b");
    atexit(at_the_end);
    deep(3, a);
    if (a > 11) abort();
    if (a == 11) return (b & 3) + 10;
    if (a == 8) exit(b > 7 ? 1 : 0);
    if (a < 2) return b < 3 ? 50 : (a ? 51 : 52);
    return 0;
}
