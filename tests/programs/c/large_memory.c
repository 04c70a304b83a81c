// Memory is reserved, and there once it is touched: sizes beyond 32 bits, and sizes that nothing has room for.
#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const size_t large = (size_t)1 << 32;

static void touch(const char *what, unsigned char *memory, size_t size) {
    if (!memory) {
        printf("%s: none\n", what);
        return;
    }
    const size_t places[] = {0, 1, 4095, 65536, size / 3, size / 2, size - 1};
    const int count = sizeof places / sizeof *places;
    for (int i = 0; i < count; i++) memory[places[i]] = (unsigned char)(i + 1);
    unsigned sum = 0;
    for (int i = 0; i < count; i++) sum = sum * 31 + memory[places[i]];
    printf("%s: %u\n", what, sum);
}

int main(void) {
    unsigned char *first = malloc(large);
    touch("malloc", first, large);
    unsigned char *zeros = calloc(large / 8 + 3, 8);
    printf("zeros: %d %d\n", zeros[7], zeros[large + 23]);
    touch("calloc", zeros, large + 24);
    unsigned char *aligned = aligned_alloc(4096, large + 4096);
    printf("aligned: %d\n", (int)((uintptr_t)aligned % 4096));
    touch("aligned_alloc", aligned, large);
    unsigned char *grown = realloc(first, large + large / 2);
    printf("kept: %d %d %d\n", grown[0], grown[65536], grown[large - 1]);
    touch("realloc", grown, large + large / 2);
    grown = realloc(grown, 70000);
    printf("shrunk: %d %d\n", grown[0], grown[65536]);
    memcpy(zeros + large - 100, "across", 7);
    memmove(zeros + large - 98, zeros + large - 100, 7);
    printf("moved: %s\n", (char *)zeros + large - 98);
    free(zeros);
    free(aligned);
    free(grown);

    volatile size_t half = SIZE_MAX / 2, third = SIZE_MAX / 3;
    errno = 0;
    void *none = malloc(half);
    printf("half: %d %d\n", none == NULL, errno == ENOMEM);
    errno = 0;
    none = calloc(third, 4);
    printf("product: %d %d\n", none == NULL, errno == ENOMEM);
    errno = 0;
    char *text = strdup("stays");
    none = realloc(text, half);
    printf("realloc: %d %d %s\n", none == NULL, errno == ENOMEM, text);
    none = reallocarray(text, third, 4);
    printf("reallocarray: %d %s\n", none == NULL, text);
    none = aligned_alloc(64, half - half % 64);
    printf("aligned: %d\n", none == NULL);
    none = text;
    printf("posix_memalign: %d %d\n", posix_memalign(&none, 64, half) == ENOMEM, none == text);
    free(text);

    // Many of them, of which nothing is touched.
    void *many[16];
    for (int i = 0; i < 16; i++) many[i] = malloc(large / 2);
    int there = 0;
    for (int i = 0; i < 16; i++) there += many[i] != NULL;
    printf("many: %d\n", there);
    for (int i = 0; i < 16; i++) free(many[i]);
    return 0;
}
