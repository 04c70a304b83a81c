// CWE-194: a character that may be negative is an index.
// run: --sym-stdin 1
// error: out-of-bounds read
#include <stdio.h>

static unsigned char classes[256] = {['a'] = 1, ['b'] = 2};

int main(void) {
#ifdef GOOD
    unsigned char c;
#else
    signed char c;
#endif
    if (fread(&c, 1, 1, stdin) != 1)
        return 1;
    return classes[c];
}
