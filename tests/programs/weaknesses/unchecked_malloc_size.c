// CWE-680: a count from a file is multiplied by a size in 32 bits.
// run: --sym-file table=4
// error: wild pointer write, out-of-bounds write
// sampled: the size of what is allocated
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

int main(void) {
    uint32_t count;
    FILE *file = fopen("table", "rb");
    if (!file || fread(&count, sizeof count, 1, file) != 1)
        return 1;
    fclose(file);
    if (count == 0)
        return 2;
#ifdef GOOD
    if (count > 1000)
        return 3;
    size_t bytes = (size_t)count * 8;
#else
    if ((count & 0x1fffffff) > 8)
        return 3;
    uint32_t bytes = count * 8;
#endif
    uint64_t *entries = malloc(bytes);
    if (!entries)
        return 4;
    entries[count - 1] = 1;
    free(entries);
    return 0;
}
