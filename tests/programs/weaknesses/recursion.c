// CWE-674: a list in a file that leads back to itself is followed for ever.
// run: --sym-file list=2
// error: stack overflow
#include <stdio.h>

static unsigned next[3];

/* The entry that a byte names. */
static unsigned entry(int byte) {
    if (byte == 0)
        return 0;
    if (byte == 1)
        return 1;
    return 2;
}

static int length(unsigned at, int depth) {
#ifdef GOOD
    if (depth > 4)
        return -1;
#endif
    if (at == 0)
        return 0;
    int rest = length(next[at], depth + 1);
    return rest < 0 ? rest : rest + 1;
}

int main(void) {
    FILE *file = fopen("list", "rb");
    if (!file)
        return 1;
    next[1] = entry(fgetc(file));
    next[2] = entry(fgetc(file));
    fclose(file);
    return length(1, 0) == 2;
}
