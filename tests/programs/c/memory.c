// malloc, calloc, realloc, aligned memory, arrays of arrays, growth.
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int main(void) {
    int *v = NULL;
    size_t capacity = 0, count = 0;
    for (int i = 0; i < 100; i++) {
        if (count == capacity) {
            capacity = capacity ? capacity * 2 : 1;
            v = realloc(v, capacity * sizeof *v);
        }
        v[count++] = i * i;
    }
    long sum = 0;
    for (size_t i = 0; i < count; i++)
        sum += v[i];
    printf("%ld %zu\n", sum, capacity);
    v = realloc(v, 10 * sizeof *v);
    printf("%d\n", v[9]);
    free(v);
    char *zero = calloc(10, 10);
    int any = 0;
    for (int i = 0; i < 100; i++)
        any |= zero[i];
    printf("%d\n", any);
    free(zero);
    int **rows = malloc(5 * sizeof *rows);
    for (int i = 0; i < 5; i++) {
        rows[i] = malloc((size_t)(i + 1) * sizeof **rows);
        for (int j = 0; j <= i; j++)
            rows[i][j] = j == 0 || j == i ? 1 : rows[i - 1][j - 1] + rows[i - 1][j];
    }
    for (int i = 0; i < 5; i++) {
        for (int j = 0; j <= i; j++)
            printf("%d ", rows[i][j]);
        free(rows[i]);
    }
    free(rows);
    printf("\n");
    void *aligned = NULL;
    printf("%d ", posix_memalign(&aligned, 256, 100));
    printf("%d\n", (int)((uintptr_t)aligned % 256));
    free(aligned);
    aligned = aligned_alloc(64, 128);
    printf("%d\n", (int)((uintptr_t)aligned % 64));
    free(aligned);
    free(NULL);
    struct Header { size_t length; char text[]; } *header = malloc(sizeof *header + 6);
    header->length = 5;
    memcpy(header->text, "flex!", 6);
    printf("%zu %s\n", header->length, header->text);
    free(header);
    char *a = malloc(1), *b = malloc(1);
    printf("%d\n", a != b);
    free(a);
    free(b);
    return 0;
}
