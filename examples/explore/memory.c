// Paths that have much memory each: every branch is taken both ways, and every way fills its own copy of a table.
//
// With `--search bfs` all 2^SIZE states wait at the same time, some gigabytes of them. Look at what `--max-memory
// 300MB` makes of it: states are put aside, and executed again when it is their turn.
#include <klee/klee.h>
#include <string.h>

#ifndef SIZE
#define SIZE 13
#endif

static unsigned char table[1 << 19];

int main(void) {
    unsigned char input[SIZE];
    klee_make_symbolic(input, sizeof input, "input");
    int sum = 1;
    for (int i = 0; i < SIZE; i++) {
        if (input[i] & 1)
            sum += i;
        memset(table, sum, sizeof table);
    }
    return table[sum];
}
