// A read far behind memory from the heap.
#include <stdio.h>
#include <stdlib.h>

int main(void) {
    int *values = calloc(10, sizeof *values);
    int value = values[12];
    printf("%d\n", value);
    free(values);
    return 0;
}
