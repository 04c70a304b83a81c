// inputs: i=0..3 j=0..3 x=0..7
// paths: 14
// Vectors at symbolic lanes, read and written, and operations on all lanes at once.
#include <klee/klee.h>

typedef int four __attribute__((vector_size(16)));

int main(void) {
    int i = klee_range(0, 4, "i"), j = klee_range(0, 4, "j"), x = klee_range(0, 8, "x");
    four v = {10, 20, 30, 40};
    int lane = v[i];
    /* Each lane is a path of its own: let it show. */
    switch (lane) {
    case 10: lane = 1; break;
    case 20: lane = 2; break;
    case 30: lane = 3; break;
    default: lane = 4;
    }
    if (lane > 2) {
        if (x * lane > 20) return 1;
        return 2;
    }
    v[j] = x;
    switch (j) {
    case 0: break;
    case 1: lane += 10; break;
    case 2: lane += 20; break;
    default: lane += 30;
    }
    four sum = v + (four){1, 2, 3, 4};
    four small = sum < 5;
    if (small[0]) return 3;
    if (j == i) return 4;
    if (sum[3] == x + 4) return 5;
    if (lane > 20) return 6;
    return 7;
}
