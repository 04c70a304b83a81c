// inputs: i=0..5 j=0..5
// paths: 18
// sanitize: address
// What is freed depends on input: objects of the heap, null, and pointers that must not be freed.
#include <klee/klee.h>
#include <stdlib.h>

static int global;

int main(void) {
    int i = klee_range(0, 6, "i"), j = klee_range(0, 6, "j");
    char *a = malloc(8), *b = malloc(16), *c = malloc(24);
    char *table[6] = {a, b, c, NULL, b + 4, (char *)&global};
    /* Which object a pointer means shows in the blocks that lead to the call. */
    switch (i) {
    case 0: free(table[i]); break;
    case 1: free(table[i]); break;
    case 2: free(table[i]); break;
    case 3: free(table[i]); break;
    default: free(table[i]);
    }
    if (j == i) return 1;
    if (j > 2) return 2;
    char *p;
    switch (j) {
    case 0: p = a; break;
    case 1: p = b; break;
    default: p = c;
    }
    *p = 'x';
    free(p);
    return *p == 'x';
}
