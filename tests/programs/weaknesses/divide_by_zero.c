// CWE-369: the number of columns is divided by, and may be zero.
// run: --sym-arg 2
// error: division by zero
#include <stdio.h>
#include <stdlib.h>

int main(int argc, char **argv) {
    int columns = atoi(argv[1]);
#ifdef GOOD
    if (columns <= 0)
        return 1;
#endif
    printf("%s\n", 80 / columns > 8 ? "wide" : "narrow");
    return 0;
}
