// Bit counting, byte swapping, rotations, arithmetic with overflow flags, other builtins.
#include <limits.h>
#include <stdint.h>
#include <stdio.h>

static uint32_t rotl(uint32_t x, int k) { return x << k | x >> (32 - k); }

int main(void) {
    uint64_t samples[] = {1, 2, 0x80, 0xff00, 0x12345678, 0x80000000, 0xffffffff, 0x123456789abcdef0, UINT64_MAX};
    for (int i = 0; i < 9; i++) {
        uint64_t x = samples[i];
        printf("%d %d %d %d ", __builtin_clzll(x), __builtin_ctzll(x), __builtin_popcountll(x), __builtin_parityll(x));
        uint32_t y = (uint32_t)(x | 1);
        printf("%d %d %d %d ", __builtin_clz(y), __builtin_ctz(y), __builtin_popcount(y), __builtin_ffs((int)y));
        printf("%x %x %llx %x\n", __builtin_bswap16((uint16_t)x), __builtin_bswap32((uint32_t)x),
               (unsigned long long)__builtin_bswap64(x), rotl((uint32_t)x, 7));
    }
    int r;
    unsigned u;
    long long l;
    signed char c;
    printf("%d ", __builtin_add_overflow(INT_MAX, 1, &r)); printf("%d ", r);
    printf("%d ", __builtin_sub_overflow(INT_MIN, 1, &r)); printf("%d ", r);
    printf("%d ", __builtin_mul_overflow(46341, 46341, &r)); printf("%d ", r);
    printf("%d ", __builtin_add_overflow(1u, UINT_MAX, &u)); printf("%u ", u);
    printf("%d ", __builtin_sub_overflow(1u, 2u, &u)); printf("%u ", u);
    printf("%d ", __builtin_mul_overflow(1LL << 40, 1LL << 30, &l)); printf("%lld ", l);
    printf("%d ", __builtin_add_overflow(100, 27, &c)); printf("%d ", c);
    printf("%d ", __builtin_add_overflow(100, 28, &c)); printf("%d\n", c);
    uint32_t v = 0x6b8b4567;
    uint32_t reversed = 0;
    for (int i = 0; i < 32; i++)
        reversed |= (v >> i & 1) << (31 - i);
    printf("%x %x %d\n", reversed, v & (0u - v), (v & (v - 1)) == 0);
    printf("%d %d %s\n", __builtin_expect(v != 0, 1) != 0, __builtin_constant_p(3), __builtin_choose_expr(1, "yes", "no"));
    unsigned long long carry = 0, out = 0;
    for (int i = 0; i < 4; i++) {
        unsigned long long a = 0xffffffffffffff00ULL + (unsigned)i * 100, b = 0x1ff, s;
        int c1 = __builtin_uaddll_overflow(a, b, &s), c2 = __builtin_uaddll_overflow(s, carry, &s);
        carry = (unsigned)(c1 | c2);
        out = out * 31 + s;
    }
    printf("%llu %llu\n", carry, out);
    return 0;
}
