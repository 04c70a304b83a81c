// inputs: i=0..7 j=0..7 x=0..3
// paths: 8
// Pointers into one array at symbolic places: compared, subtracted, swapped through, and reached through pointers to pointers.
#include <klee/klee.h>

static void swap(int *a, int *b) {
    int kept = *a;
    *a = *b;
    *b = kept;
}

int main(void) {
    int i = klee_range(0, 8, "i"), j = klee_range(0, 8, "j"), x = klee_range(0, 4, "x");
    int array[8] = {0, 10, 20, 30, 40, 50, 60, 70};
    int *p = array + i, *q = &array[j];
    int **pp = &p;
    if (p == q) {
        *p = x;
        if (*q != x) return 1; /* never */
        if (array[3] == 30) return 2;
        return 3;
    }
    if (**pp > *q) {
        swap(*pp, q);
        pp = &q;
    }
    if (*p > *q) return 4; /* never */
    long distance = *pp - array;
    if (distance >= 5) return 5;
    if (p + 1 == q || q + 1 == p) return 6;
    return 7;
}
