// inputs: x=0,1,127,128,255,256,65280,4294967295 big=0..1
// paths: 8
// The same bytes as numbers of other types, by memcpy and by pointers to char; bytes in the other order.
#include <klee/klee.h>
#include <stdint.h>
#include <string.h>

int main(void) {
    uint32_t x;
    klee_make_symbolic(&x, sizeof x, "x");
    klee_assume((x == 0) | (x == 1) | (x == 127) | (x == 128) | (x == 255) | (x == 256) | (x == 65280) |
                (x == 4294967295u));
    int big = klee_range(0, 2, "big");
    uint8_t bytes[8] = {0};
    memcpy(bytes + 3, &x, sizeof x);
    if (big) x = __builtin_bswap32(x);
    int32_t back;
    memcpy(&back, bytes + 3, sizeof back);
    if ((uint32_t)back == x) {
        if (back < 0) return 1;
        return 2;
    }
    if (((unsigned char *)&x)[3] == 128) return 3;
    uint16_t middle;
    memcpy(&middle, bytes + 2, sizeof middle);
    if (middle == 0) return 4;
    if ((int32_t)x < 0) return 5;
    if ((x >> 24) == (uint32_t)back) return 6;
    return 7;
}
