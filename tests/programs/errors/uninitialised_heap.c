// A sum over memory of which one part was not written.
#include <stdio.h>
#include <stdlib.h>

int main(void) {
    int *values = malloc(4 * sizeof *values);
    for (int i = 0; i < 3; i++)
        values[i] = i;
    int sum = 0;
    for (int i = 0; i < 4; i++)
        sum += values[i];
    if (sum > 2)
        printf("large\n");
    free(values);
    return 0;
}
