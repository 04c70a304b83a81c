// div of the least integer by -1: the quotient does not fit.
#include <limits.h>
#include <stdlib.h>

static int quotient(int a, int b) {
    return div(a, b).quot;
}

int main(int argc, char **argv) {
    (void)argv;
    return quotient(INT_MIN, -argc);
}
