// inputs: a=0..15 b=0..15
// paths: 13
// Ends in many places, with status and without clean-up.
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
    if (a == 11) {
        switch (b & 3) {
        case 0: return 10;
        case 1: return 11;
        case 2: return 12;
        default: return 13;
        }
    }
    if (a == 8) {
        if (b > 7) exit(1);
        exit(0);
    }
    if (a < 2) {
        if (b < 3) return 50;
        if (a) return 51;
        return 52;
    }
    return 0;
}
