// inputs: n=0..3 m=0..3
// paths: 13
// Loops in loops with bounds that are inputs: with n = 0 nothing is asked about m; any other n splits by m, 1 + 3 * 4.
#include <klee/klee.h>

int main(void) {
    int n = klee_range(0, 4, "n");
    int m = klee_range(0, 4, "m");
    int total = 0;
    for (int i = 0; i < n; i++)
        for (int j = 0; j < m; j++) total += i ^ j;
    return total >= 0 ? 0 : 1;
}
