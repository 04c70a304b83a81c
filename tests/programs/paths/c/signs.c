// inputs: a=-128..127 s=0..7
// paths: 13
// Signed and unsigned, narrow and wide, shifts, division that rounds to zero.
#include <klee/klee.h>

int main(void) {
    signed char a;
    unsigned char s;
    klee_make_symbolic(&a, 1, "a");
    klee_make_symbolic(&s, 1, "s");
    klee_assume(s < 8);
    unsigned char u = (unsigned char)a;
    if ((a < 0) != (u > 127)) return 99; /* never */
    if (a < 0) {
        if ((unsigned)a < 0xffffff80u) return 99; /* never */
        if (a >> s == -1) {
            if (s == 0) return 1;
            return 2;
        }
        if ((unsigned char)(u >> s) == 1) return 3;
        if (a / 2 != a >> 1) {
            if (a % 2 == -1) return 4;
            return 99;
        }
        if ((signed char)-a == a) return 5;
        return 6;
    }
    if ((signed char)(a << s) < 0) return 7;
    if ((unsigned char)(a << s) == 0) {
        if (a == 0) return 8;
        return 9;
    }
    if (a > u % 100) return 10;
    if (-1 < (long)u - 60 && s != 3) return 11;
    if (-1 > 0u + u) { /* always: -1 is large here */
        if (a * a > 3000) return 12;
        return 13;
    }
    return 99;
}
