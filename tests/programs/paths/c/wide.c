// inputs: a=0..63 b=0..63
// paths: 10
// Arithmetic of 64 bits: products that wrap, rotations, comparisons beyond 32 bits.
#include <klee/klee.h>

static uint64_t rotated(uint64_t x, unsigned by) { return x << by | x >> (64 - by); }

int main(void) {
    uint64_t a, b;
    klee_make_symbolic(&a, sizeof a, "a");
    klee_make_symbolic(&b, sizeof b, "b");
    klee_assume((a < 64) & (b < 64));
    uint64_t product = a * 0x0400000000000000u;
    if (product == 0) {
        if (b > a + 60) return 1;
        return 2;
    }
    if ((int64_t)product < 0 && b > 50) return 3;
    uint64_t mixed = rotated(a << 40 ^ b, 13);
    if (mixed >> 53 == 5) return 4; /* a is what ends up there */
    int64_t difference = (int64_t)(a - b) * 0x100000000;
    if (difference < -0x2000000000) return 5;
    if (difference > 0x1400000000) {
        if ((uint32_t)difference == 0) return 6;
        return 7;
    }
    if (a * a * a + b == 35) return 8;
    return 9;
}
