// A midpoint that overflows.
#include <stdio.h>

static int middle(int low, int high) {
    return (low + high) / 2;
}

int main(void) {
    printf("%d\n", middle(10, 20));
    printf("%d\n", middle(2000000000, 2100000000));
    return 0;
}
