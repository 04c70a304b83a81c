// inputs: i=-2..6 n=0..3 k=0..4
// paths: 12
// sanitize: address
// Reads and writes that miss an array on the stack, one on the heap and a global one.
#include <klee/klee.h>
#include <stdlib.h>

static char global[5] = {1, 2, 3, 4, 5};

int main(void) {
    int i = klee_range(-2, 7, "i"), n = klee_range(0, 4, "n"), k = klee_range(0, 5, "k");
    int local[5] = {0, 1, 2, 3, 4};
    if (n == 0) {
        if (local[i] == 4) return 1;
        return 2;
    }
    short *heap = calloc(4, sizeof *heap);
    if (n == 1) {
        heap[k] = 7;
        if (heap[2] == 7) return 3;
        return 4;
    }
    int sum = 0;
    for (int at = 0; at < n - 1; at++) sum += global[k + at];
    free(heap);
    if (sum > 8) return 5;
    if (k == 0) return 6;
    return 7;
}
