// inputs: n=-3,-2,-1,0,1,9,10,11,99,100,101,999,1000,100000 k=0..3
// paths: 11
// Ranges of cases, negative ones among them, and switches on other types than int.
#include <klee/klee.h>

static int digits(int n) {
    switch (n) {
    case -2147483647 - 1 ... -1: return -1;
    case 0 ... 9: return 1;
    case 10 ... 99: return 2;
    case 100 ... 999: return 3;
    }
    return 4;
}

int main(void) {
    int n = klee_int("n"), k = klee_range(0, 4, "k");
    klee_assume(((n >= -3) & (n <= 1)) | ((n >= 9) & (n <= 11)) | ((n >= 99) & (n <= 101)) | (n == 999) | (n == 1000) |
                (n == 100000));
    switch (digits(n) * 8589934592L + k) {
    case -8589934592L + 1: return 1;
    case 8589934592L:
    case 8589934592L + 3: return 2;
    case 2 * 8589934592L + 2: return 3;
    }
    switch ((unsigned char)n) {
    case 0xfd ... 0xff: return 4;
    case 100: return 5;
    case 160: return 6;
    }
    switch (n > 50) {
    case 0: return 7;
    case 1: return 8;
    }
    return 9;
}
