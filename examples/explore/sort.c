// A sort against an oracle: for every order of four numbers, what comes out is in order and is what went in.
//
// There are 24 ways through the sort, one for each order that four numbers can be in; refrain finds an input for
// each. Look at the summary, then build it with the mistake (`refrain run --cflags=-DMISTAKE
// examples/explore/sort.c`) and look at the input that shows it.
#include <assert.h>
#include <klee/klee.h>

enum { COUNT = 4 };

static void sort(signed char *values, int count) {
    for (int i = 1; i < count; i++) {
        signed char value = values[i];
        int at = i;
#ifdef MISTAKE
        while (at > 1 && values[at - 1] > value) {
#else
        while (at > 0 && values[at - 1] > value) {
#endif
            values[at] = values[at - 1];
            at--;
        }
        values[at] = value;
    }
}

static int how_often(const signed char *values, signed char wanted) {
    int times = 0;
    for (int i = 0; i < COUNT; i++)
        times += values[i] == wanted;
    return times;
}

int main(void) {
    signed char given[COUNT], sorted[COUNT];
    klee_make_symbolic(given, sizeof given, "given");
    for (int i = 0; i < COUNT; i++)
        sorted[i] = given[i];
    sort(sorted, COUNT);
    for (int i = 1; i < COUNT; i++)
        assert(sorted[i - 1] <= sorted[i]);
    for (int i = 0; i < COUNT; i++)
        assert(how_often(given, given[i]) == how_often(sorted, given[i]));
    return 0;
}
