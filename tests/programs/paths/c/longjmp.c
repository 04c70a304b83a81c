// inputs: depth=0..4 value=0..3 again=0..1
// paths: 25
// Jumps out of calls: what setjmp returns is never zero, and what was called in between is gone.
#include <klee/klee.h>
#include <setjmp.h>

static jmp_buf outer, inner;
static volatile int entered;

static int descend(int depth, int value) {
    entered++;
    if (depth == 0) longjmp(outer, value);
    if (depth == 3) longjmp(inner, depth);
    return descend(depth - 1, value) + 1;
}

int main(void) {
    int depth = klee_range(0, 5, "depth"), value = klee_range(0, 4, "value"), again = klee_range(0, 2, "again");
    volatile int jumps = 0;
    int returned = setjmp(outer);
    if (returned) {
        jumps++;
        if (returned == 1) {
            if (value) return 1;
            return 2;
        }
        if (again && jumps < 2) longjmp(outer, returned - 1);
        if (entered > 2) return 3;
        return 4;
    }
    if (setjmp(inner) == 3) {
        if (entered != depth - 2) return 5; /* the second time */
        if (again) descend(value, 2);
        return 6;
    }
    return descend(depth, value);
}
