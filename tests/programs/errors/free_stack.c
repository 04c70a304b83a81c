// free of a local variable.
#include <stdlib.h>

static void release(void *memory) {
    free(memory);
}

int main(void) {
    int values[4] = {0};
    release(values);
    return 0;
}
