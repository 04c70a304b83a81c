// A read through a number that is no address.
#include <stdint.h>
#include <stdio.h>

int main(void) {
    uintptr_t number = 0xdeadbeef;
    int value = *(int *)number;
    printf("%d\n", value);
    return 0;
}
