// inputs: a=0..31 b=0..31
// paths: 4
// Assertions that some inputs violate, one that none does.
#include <assert.h>
#include <klee/klee.h>

static int average(int a, int b) { return (a & b) + ((a ^ b) >> 1); }

int main(void) {
    int a = klee_range(0, 32, "a"), b = klee_range(0, 32, "b");
    int middle = average(a, b);
    assert(middle == (a + b) / 2);
    if (a > b) {
        assert(middle != 29);
        return 1;
    }
    klee_assert(a * b != 143);
    return 0;
}
