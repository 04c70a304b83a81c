// inputs: n=0..6 k=0..6
// paths: 15
// sanitize: address
// finer: yes (each size is a path within realloc and malloc)
// Sizes that depend on input, of every kind of memory, and places in it that do.
#include <klee/klee.h>
#include <stdlib.h>
#include <string.h>

static int on_stack(unsigned n, unsigned k) {
    char local[n + 1];
    memset(local, 0, n + 1);
    local[k] = 1;
    return local[n];
}

int main(void) {
    unsigned n, k;
    klee_make_symbolic(&n, sizeof n, "n");
    klee_make_symbolic(&k, sizeof k, "k");
    klee_assume((n < 7) & (k < 7));
    switch (n) {
    case 0: {
        short *none = calloc(n, 2);
        if (k == 6) none[0] = 1;
        free(none);
        return 0;
    }
    case 1:
        if (on_stack(n, k)) return 1;
        return 2;
    case 2: {
        int *two = calloc(n, sizeof *two);
        two[k]++;
        if (two[0]) return 3;
        return 4;
    }
    case 3: {
        char *grown = malloc(n);
        grown[2] = 7;
        grown = realloc(grown, n + k);
        if (k > 3) {
            grown[6] = 1;
            if (grown[2] == 7) return 5;
            return 6;
        }
        grown[3] = 1;
        return 10;
    }
    }
    char *memory = malloc(n);
    memory[k] = 1;
    if (n == 4) return 7;
    if (n == 5) return 8;
    return 9;
}
