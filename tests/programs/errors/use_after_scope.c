// A pointer into a block that has ended.
#include <stdio.h>

int main(void) {
    int *pointer;
    for (int i = 0; i < 2; i++) {
        int inner[2] = {i, i + 1};
        pointer = inner;
    }
    *pointer = 5;
    printf("%d\n", *pointer);
    return 0;
}
