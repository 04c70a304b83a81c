// A write through a pointer that arithmetic has led astray.
#include <stdint.h>
#include <stdlib.h>

int main(void) {
    int *values = malloc(16);
    values = (int *)((uintptr_t)values * 3);
    *values = 1;
    return 0;
}
