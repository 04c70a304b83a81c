// inputs: a[3]=0..3 shift=0..2
// paths: 15
// Arrays that are promised to be different, and in which each element decides.
#include <klee/klee.h>

static int scale(int *restrict to, const unsigned char *restrict from, int n, int shift) {
    int changed = 0;
    for (int i = 0; i < n; i++) {
        to[i] = from[i] << shift;
        if (to[i] > 5) {
            to[i] = 5;
            changed++;
        }
    }
    return changed;
}

int main(void) {
    unsigned char a[3];
    int b[3] = {9, 9, 9};
    klee_make_symbolic(a, sizeof a, "a");
    for (int i = 0; i < 3; i++) klee_assume(a[i] < 4);
    int shift = klee_range(0, 3, "shift");
    int changed = scale(b, a, 3, shift);
    if (b[0] + b[1] + b[2] > 15) return 1; /* never */
    if (changed == 3) return 2;
    if (shift == 2) return 3;
    return 4;
}
