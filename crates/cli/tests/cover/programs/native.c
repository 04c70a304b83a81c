// What a program needs to take its inputs from a file, one after the other.
#include <stdio.h>
#include <stdlib.h>

void klee_make_symbolic(void *address, unsigned long size, const char *name) {
    static FILE *file;
    if (!file)
        file = fopen(getenv("INPUT"), "rb");
    if (!file || fread(address, 1, size, file) != size)
        exit(99);
}

void klee_assume(unsigned long condition) {
    if (!condition)
        exit(99);
}
