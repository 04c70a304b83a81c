// A pointer to a local variable that outlives it.
#include <stdio.h>

static int *keep;

static void remember(int value) {
    int local = value * 2;
    keep = &local;
}

int main(void) {
    remember(21);
    int value = *keep;
    printf("%d\n", value);
    return 0;
}
