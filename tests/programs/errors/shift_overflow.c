// A shift by more bits than there are.
#include <stdio.h>

static unsigned mask(int bits) {
    return (1u << bits) - 1;
}

int main(void) {
    printf("%u\n", mask(8));
    printf("%u\n", mask(32));
    return 0;
}
