// A write behind a global array.
#include <stdio.h>

int table[3];
int guard = 7;

static void set(unsigned index, int value) {
    table[index] = value;
}

int main(void) {
    set(2, 1);
    set(5, 1);
    printf("%d\n", guard);
    return 0;
}
