// inputs: a[4]=0..3
// paths: 24
// Insertion sort: its comparisons tell all permutations of four apart, and no more.
#include <assert.h>
#include <klee/klee.h>

int main(void) {
    unsigned char a[4];
    klee_make_symbolic(a, 4, "a");
    for (int i = 0; i < 4; i++) klee_assume(a[i] < 4);
    for (int i = 1; i < 4; i++) {
        unsigned char moved = a[i];
        int j = i;
        while (j > 0 && a[j - 1] > moved) {
            a[j] = a[j - 1];
            j--;
        }
        a[j] = moved;
    }
    for (int i = 0; i + 1 < 4; i++) assert(a[i] <= a[i + 1]);
    return 0;
}
