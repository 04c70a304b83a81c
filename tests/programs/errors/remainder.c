// Remainder by zero, unsigned.
#include <stdio.h>

static unsigned bucket(unsigned hash, unsigned count) {
    return hash % count;
}

int main(void) {
    unsigned count = 0;
    printf("%u\n", bucket(12345, count));
    return 0;
}
