// Compresses a file and decompresses it again, at several levels; prints what the compressed bytes are.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "zlib.h"

int main(int argc, char **argv) {
    FILE *file = argc > 1 ? fopen(argv[1], "rb") : NULL;
    if (!file) {
        fprintf(stderr, "no file\n");
        return 2;
    }
    size_t length = 0, room = 1 << 16;
    unsigned char *bytes = malloc(room);
    for (size_t got; (got = fread(bytes + length, 1, room - length, file)) > 0;) {
        length += got;
        if (length == room) bytes = realloc(bytes, room *= 2);
    }
    fclose(file);
    uLong bound = compressBound(length);
    unsigned char *packed = malloc(bound), *again = malloc(length + 1);
    for (int level = 0; level <= 9; level += 3) {
        uLongf size = bound, back = length + 1;
        if (compress2(packed, &size, bytes, length, level) != Z_OK) return 3;
        if (uncompress(again, &back, packed, size) != Z_OK) return 4;
        if (back != length || memcmp(bytes, again, length)) return 5;
        printf("level %d: %lu bytes to %lu, crc %08lx, adler %08lx\n", level, (unsigned long)length,
               (unsigned long)size, crc32(0, packed, size), adler32(1, packed, size));
    }
    free(bytes);
    free(packed);
    free(again);
    return 0;
}
