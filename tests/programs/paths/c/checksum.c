// inputs: d[3]=0..9 crc=0..3
// paths: 42
// A check digit with a doubled middle, and a polynomial over the bits of one digit. The middle is small or large; not valid, or
// each first digit with the right remainder or a wrong one: 2 * (1 + 10 * 2).
#include <klee/klee.h>

static int is_valid(const unsigned char *d) {
    int sum = 0;
    for (int i = 0; i < 3; i++) {
        int digit = d[i];
        if (i == 1) {
            digit *= 2;
            if (digit > 9) digit -= 9;
        }
        sum += digit;
    }
    return sum % 10 == 0;
}

static unsigned remainder_of(unsigned x) {
    for (int bit = 0; bit < 4; bit++) {
        if (x & 8)
            x = (x << 1 ^ 0x0b) & 15;
        else
            x = x << 1 & 15;
    }
    return x;
}

int main(void) {
    unsigned char d[3], crc;
    klee_make_symbolic(d, 3, "d");
    for (int i = 0; i < 3; i++) klee_assume(d[i] < 10);
    klee_make_symbolic(&crc, 1, "crc");
    klee_assume(crc < 4);
    if (!is_valid(d)) return 1;
    if (remainder_of(d[0]) >> 2 == crc) return 0;
    return 2;
}
