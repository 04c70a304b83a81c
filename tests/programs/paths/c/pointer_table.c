// inputs: i=0..3 k=0..3
// paths: 3
// finer: yes (a pointer that may point to several objects)
#include <klee/klee.h>
#include <stdlib.h>

static int on_top = 3;

int main(void) {
    unsigned i, k;
    klee_make_symbolic(&i, sizeof i, "i");
    klee_assume(i < 4);
    klee_make_symbolic(&k, sizeof k, "k");
    klee_assume(k < 4);
    static int quiet = 5;
    int local = 7;
    int *heap = malloc(sizeof *heap);
    *heap = 9;
    int *table[4] = {&on_top, &quiet, &local, heap};
    int **chosen = &table[i];
    **chosen += 1;
    int sum = *table[k];
    if (**chosen == sum) return sum % 2 == 0 ? 1 : 2;
    if (sum == 9) return 3;
    return on_top == 4 ? 4 : 5;
}
