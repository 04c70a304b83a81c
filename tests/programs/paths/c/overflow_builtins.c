// inputs: a=-128,-100,-1,0,1,27,100,127 b=-128,-28,-1,0,1,2,28,127
// paths: 7
// Arithmetic that says whether it overflowed, in several widths and signs.
#include <klee/klee.h>
#include <stdint.h>

int main(void) {
    int a = klee_int("a"), b = klee_int("b");
    klee_assume((a == -128) | (a == -100) | (a == -1) | (a == 0) | (a == 1) | (a == 27) | (a == 100) | (a == 127));
    klee_assume((b == -128) | (b == -28) | (b == -1) | (b == 0) | (b == 1) | (b == 2) | (b == 28) | (b == 127));
    int8_t sum, product;
    uint8_t difference;
    uint64_t wide;
    int overflows = __builtin_add_overflow((int8_t)a, (int8_t)b, &sum);
    if (overflows != (a + b < -128 || a + b > 127)) return 1; /* never */
    if (overflows) {
        if (sum < 0) return 2;
        return 3;
    }
    if (__builtin_mul_overflow(a, b, &product)) {
        if (product == 0) return 4;
        return 5;
    }
    if (product != a * b) return 6; /* never */
    if (__builtin_sub_overflow((uint8_t)a, (uint8_t)b, &difference)) return 7;
    if (__builtin_add_overflow((int64_t)a, UINT64_MAX, &wide)) return 8;
    if (wide > UINT64_MAX - 200) return 9;
    return 10;
}
