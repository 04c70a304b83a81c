// inputs: i=0..7 j=-2..5
// paths: 8
// sanitize: address
// Pointers moved by input, forwards and backwards, with sizes of different types, within an object and out of it.
#include <klee/klee.h>

int main(void) {
    int i = klee_range(0, 8, "i"), j = klee_range(-2, 6, "j");
    short numbers[8] = {3, 1, 4, 1, 5, 9, 2, 6};
    short *p = numbers + i;
    char *end = (char *)(numbers + 8);
    if (end - (char *)p < 4) {
        if (*p > 4) return 1;
        return 2;
    }
    short *q = p + j;
    if (q < numbers) return 3;
    if (q - p >= 4) {
        *q = 7;
        if (numbers[7] == 7) return 4;
        return 5;
    }
    int *wide = (int *)(numbers + (i & ~1));
    if ((wide[0] & 0xffff) == 5) return 6;
    if (p[1] > *p) return 7;
    return 8;
}
