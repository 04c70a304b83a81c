// A write just behind an array on the stack.
#include <stdio.h>

static void fill(int *values, int count) {
    for (int i = 0; i <= count; i++)
        values[i] = i;
}

int main(void) {
    int values[4];
    fill(values, 4);
    printf("%d\n", values[0]);
    return 0;
}
