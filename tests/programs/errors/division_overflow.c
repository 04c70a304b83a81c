// The one signed division that overflows.
#include <limits.h>
#include <stdio.h>

static int divide(int a, int b) {
    return a / b;
}

int main(void) {
    printf("%d\n", divide(INT_MAX, -1));
    printf("%d\n", divide(INT_MIN, -1));
    return 0;
}
