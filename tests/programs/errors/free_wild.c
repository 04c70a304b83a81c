// free of a number that is no pointer.
#include <stdint.h>
#include <stdlib.h>

int main(int argc, char **argv) {
    (void)argv;
    uintptr_t number = 0x5a5a50 + ((uintptr_t)argc << 25);
    free((void *)number);
    return 0;
}
