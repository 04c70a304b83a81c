// inputs: i=0..7 j=0..7 x=0..15
// paths: 6
// Writes at symbolic places and reads of what they left.
#include <klee/klee.h>

int main(void) {
    int i = klee_range(0, 8, "i"), j = klee_range(0, 8, "j"), x = klee_range(0, 16, "x");
    int array[8];
    for (int k = 0; k < 8; k++) array[k] = 100 + k;
    array[i] = x;
    array[j] += 1;
    if (array[i] == x) {
        /* i and j differ */
        if (array[j] == 104) return 1;
        if (array[5] < 100) return 2;
        return 3;
    }
    if (array[i] != x + 1) return 4; /* never */
    array[array[i] & 7] = 7;
    if (array[j] == 7) {
        if (x == 6) return 5;
        return 6;
    }
    return 7;
}
