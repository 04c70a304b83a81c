// lldiv of the least integer by -1: the remainder alone is asked for, and does not come.
#include <limits.h>
#include <stdlib.h>

int main(int argc, char **argv) {
    (void)argv;
    return (int)lldiv(LLONG_MIN, -argc).rem;
}
