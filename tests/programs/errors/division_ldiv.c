// ldiv by zero.
#include <stdlib.h>

int main(int argc, char **argv) {
    (void)argv;
    return (int)ldiv(100, argc - 1).quot;
}
