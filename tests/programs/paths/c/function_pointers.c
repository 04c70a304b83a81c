// inputs: i=0..7 x=0..15
// paths: 7
// Calls through a table at a symbolic index: one path a function, not one an index. Two ways each, and one more in `less`.
#include <klee/klee.h>

static int twice(int x) { return 2 * x; }
static int less(int x) { return x < 5 ? 0 : x - 5; }
static int same(int x) { return x; }

static int (*const table[8])(int) = {twice, less, same, twice, less, same, twice, twice};

static int apply(int (*function)(int), int x) { return function(x); }

int main(void) {
    int i = klee_range(0, 8, "i"), x = klee_range(0, 16, "x");
    int y = apply(table[i], x);
    if (y > 9) return 1;
    return 2;
}
