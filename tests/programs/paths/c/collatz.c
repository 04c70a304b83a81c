// inputs: n=1..40
// paths: 40
// At most twelve steps of the sequence.
#include <klee/klee.h>

int main(void) {
    int n = klee_range(1, 41, "n");
    int steps = 0;
    while (n != 1) {
        if (++steps > 12) return 1;
        if (n % 2)
            n = 3 * n + 1;
        else
            n /= 2;
    }
    return 0;
}
