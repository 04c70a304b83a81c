// inputs: x=-128,-5,-1,0,1,64,100,127 n=0..7
// paths: 9
// Shifts to both sides, of signed and unsigned values, by a symbolic distance; promotions decide what comes in from above.
#include <klee/klee.h>

int main(void) {
    int x = klee_int("x"), n = klee_range(0, 8, "n");
    klee_assume((x == -128) | (x == -5) | (x == -1) | (x == 0) | (x == 1) | (x == 64) | (x == 100) | (x == 127));
    signed char s = (signed char)x;
    unsigned char u = (unsigned char)x;
    if (s >> n == -1) {
        if (u >> n == 1) return 1;
        return 2;
    }
    if ((unsigned char)(u << n) == 0) {
        if (x) return 3;
        return 4;
    }
    if ((s >> n << n) == s) {
        if ((signed char)(s << n) < 0) return 5;
        return 6;
    }
    if ((u >> n & 1) != ((unsigned)s >> n & 1)) return 7; /* never */
    if ((1ull << (n + 28) & (unsigned long long)(long long)s << 28) != 0) return 8;
    if ((u << 24 >> n) < 0) return 9;
    return 10;
}
