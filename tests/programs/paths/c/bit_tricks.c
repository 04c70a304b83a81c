// inputs: x=0..255
// paths: 18
// Counting, reversing, powers of two: with decisions and without.
#include <klee/klee.h>

static int count(unsigned x) {
    int n = 0;
    for (; x; x &= x - 1) n++;
    return n;
}

static unsigned reversed(unsigned x) {
    x = (x & 0xf0) >> 4 | (x & 0x0f) << 4;
    x = (x & 0xcc) >> 2 | (x & 0x33) << 2;
    return (x & 0xaa) >> 1 | (x & 0x55) << 1;
}

int main(void) {
    unsigned char x;
    klee_make_symbolic(&x, 1, "x");
    int bits = count(x);
    if (reversed(reversed(x)) != x) return 99; /* never */
    if (x && !(x & (x - 1))) {
        if (bits == 1) return 1;
        return 99;
    }
    if (reversed(x) == x) return 2;
    if ((x ^ x >> 1) & 1) return 3;
    return 4;
}
