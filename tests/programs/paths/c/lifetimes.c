// inputs: what=0..7 x=0..15
// paths: 7
// sanitize: address
// Memory that is gone or was never there, on some inputs: used after it was freed, freed twice, null.
#include <klee/klee.h>
#include <stdlib.h>

static int *chosen(int what, int *number) { return what == 3 ? NULL : number; }

int main(void) {
    int what = klee_range(0, 8, "what"), x = klee_range(0, 16, "x");
    int *number = malloc(sizeof *number);
    *number = x;
    if (what < 2) {
        free(number);
        if (x == 7) return *number;
        if (what == 1 && x > 12) free(number);
        return 1;
    }
    *chosen(what, number) = 5;
    if (*number != 5) return 9; /* never */
    free(number);
    if (what == 4) return 2;
    return 3;
}
