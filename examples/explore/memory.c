// Paths that have much memory each: every branch is taken both ways, and every way fills its own copies of pages.
//
// With `--search bfs` all 2^SIZE states wait at the same time, some gigabytes of them. Look at what `--max-memory 300MB` makes of it: states
// are put aside, and executed again when it is their turn.
#include <klee/klee.h>

#ifndef SIZE
#define SIZE 13
#endif

enum { PAGE = 1 << 16, PAGES = 8 };

static unsigned char table[PAGES * PAGE];

int main(void) {
    unsigned char input[SIZE];
    klee_make_symbolic(input, sizeof input, "input");
    unsigned sum = 0;
    for (unsigned i = 0; i < SIZE; i++) {
        unsigned char mark = (input[i] & 1) ? 3 : 5;
        if (input[i] & 1)
            sum += i;
        for (unsigned page = 0; page < PAGES; page++)
            table[page * PAGE + i] = (unsigned char)(mark + sum);
    }
    return table[sum % PAGE] + table[PAGE + SIZE - 1];
}
