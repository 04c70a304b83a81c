// A branch on a variable that nobody has set.
#include <stdio.h>

static void set(int *value, int condition) {
    if (condition)
        *value = 1;
}

int main(void) {
    int value;
    set(&value, 0);
    if (value)
        printf("set\n");
    return 0;
}
