// inputs: calls[4]=0..2
// paths: 31
// Variables that a function keeps from call to call, and that another function of the same name for them does not share.
#include <klee/klee.h>

static int count_up(int by) {
    static int count = 1;
    count += by;
    return count;
}

static int toggle(void) {
    static unsigned char count;
    static const int values[2] = {4, 8};
    static const int *const where[2] = {values, values + 1};
    count ^= 1;
    return *where[count];
}

int main(void) {
    unsigned char calls[4];
    klee_make_symbolic(calls, sizeof calls, "calls");
    for (int i = 0; i < 4; i++) klee_assume(calls[i] < 3);
    int last = 0;
    for (int i = 0; i < 4; i++) {
        if (calls[i] == 0) break;
        last = calls[i] == 1 ? count_up(i) : toggle();
    }
    if (last == 8) return 1;
    if (last == 4) return 2;
    return 3;
}
