// A read in front of an array.
#include <stdio.h>

int main(void) {
    long values[3] = {1, 2, 3};
    int i = 2;
    long sum = 0;
    while (1) {
        sum += values[i];
        if (sum > 100)
            break;
        i--;
    }
    printf("%ld\n", sum);
    return 0;
}
