// Integers of all widths: limits, conversions, wraparound, shifts, comparisons across signs.
#include <inttypes.h>
#include <limits.h>
#include <stdint.h>
#include <stdio.h>

static void widths(void) {
    signed char sc = SCHAR_MIN;
    unsigned char uc = UCHAR_MAX;
    short s = SHRT_MIN;
    unsigned short us = USHRT_MAX;
    int i = INT_MIN;
    unsigned u = UINT_MAX;
    long l = LONG_MIN;
    unsigned long ul = ULONG_MAX;
    long long ll = LLONG_MIN;
    unsigned long long ull = ULLONG_MAX;
    printf("%d %u %d %u %d %u %ld %lu %lld %llu\n", sc, uc, s, us, i, u, l, ul, ll, ull);
    uc++;
    us++;
    u++;
    ul++;
    ull++;
    printf("%u %u %u %lu %llu\n", uc, us, u, ul, ull);
    uc--;
    us--;
    u--;
    ul--;
    printf("%u %u %u %lu\n", uc, us, u, ul);
}

static void conversions(void) {
    int values[] = {0, 1, -1, 127, 128, 255, 256, -128, -129, 32767, 32768, 65535, 65536, INT_MAX, INT_MIN};
    for (unsigned k = 0; k < sizeof values / sizeof *values; k++) {
        int v = values[k];
        printf("%d: %d %u %d %u %" PRId64 " %" PRIu64 "\n", v, (int8_t)v, (uint8_t)v, (int16_t)v, (uint16_t)v,
               (int64_t)v, (uint64_t)v);
    }
}

static void shifts(void) {
    for (int k = 0; k < 32; k += 5) {
        unsigned u = 0x80000001u;
        int i = -123456789;
        uint64_t w = 0x8000000000000001u;
        printf("%u %d %u %" PRIu64 " %" PRIx64 "\n", u >> k, i >> k, u << k, w >> (k * 2), w << (k * 2));
    }
}

static void divisions(void) {
    int a[] = {7, -7, 100, -100, INT_MAX, INT_MIN + 1};
    int b[] = {2, -2, 3, -3, 10, -10, INT_MAX};
    for (int x = 0; x < 6; x++)
        for (int y = 0; y < 7; y++)
            printf("%d %d %u %u | ", a[x] / b[y], a[x] % b[y], (unsigned)a[x] / (unsigned)b[y],
                   (unsigned)a[x] % (unsigned)b[y]);
    printf("\n");
}

static void comparisons(void) {
    int minus = -1;
    unsigned one = 1;
    signed char c = -1;
    unsigned char d = 255;
    printf("%d %d %d %d %d\n", minus < (int)one, (unsigned)minus > one, c == d, (unsigned char)c == d, c < d);
}

int main(void) {
    widths();
    conversions();
    shifts();
    divisions();
    comparisons();
    return 0;
}
