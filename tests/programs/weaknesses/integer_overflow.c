// CWE-190: a size that two bytes of a header say overflows, and what is allocated is too small.
// run: --sym-stdin 3
// error: out-of-bounds write
// sampled: the size of what is allocated
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int main(void) {
    unsigned char header[3];
    if (fread(header, 1, 3, stdin) != 3 || header[0] != 'I')
        return 1;
    unsigned char width = header[1], height = header[2];
    if (width == 0 || height == 0 || width > 64 || height > 64)
        return 2;
#ifdef GOOD
    unsigned size = width * height;
#else
    unsigned char size = width * height;
#endif
    unsigned char *pixels = malloc(size + 1u);
    if (!pixels)
        return 3;
    pixels[width * height] = 1;
    free(pixels);
    return 0;
}
