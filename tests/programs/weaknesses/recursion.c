// CWE-674: a list in a file that leads back to itself is followed for ever.
// run: --sym-file list=2 --max-instructions 20000000
// error: stack overflow
#include <stdio.h>

static unsigned char next[4];

static int length(unsigned at, int depth) {
#ifdef GOOD
    if (depth > 4)
        return -1;
#endif
    if (at == 0)
        return 0;
    volatile char frame[1 << 16];
    frame[0] = (char)depth;
    int rest = length(next[at], depth + 1);
    return rest < 0 ? rest : rest + 1 + (frame[0] != (char)depth);
}

int main(void) {
    FILE *file = fopen("list", "rb");
    if (!file || fread(next + 1, 1, 2, file) != 2)
        return 1;
    fclose(file);
    if (next[1] > 2 || next[2] > 2)
        return 2;
    return length(1, 0) == 2;
}
