// inputs: a=0..15 b=0..15
// paths: 12
// Euclid's algorithm: one path a number of steps, 0 to 6, and whether it found 1; more than four steps find nothing else.
#include <klee/klee.h>

int main(void) {
    unsigned a, b;
    klee_make_symbolic(&a, sizeof a, "a");
    klee_assume(a < 16);
    klee_make_symbolic(&b, sizeof b, "b");
    klee_assume(b < 16);
    while (b != 0) {
        unsigned rest = a % b;
        a = b;
        b = rest;
    }
    if (a == 1) return 1;
    return 0;
}
