// inputs: a=0..6 b=0..6
// paths: 15
// Functions that are chosen by input and passed on, called through pointers to pointers; one place in the table is empty.
#include <klee/klee.h>

typedef int (*operation)(int, int);

static int add(int a, int b) { return a + b; }
static int sub(int a, int b) { return a - b; }
static int and(int a, int b) { return a & b; }

static operation choose(int n) {
    if (n < 2) return add;
    if (n < 4) return sub;
    return n == 6 ? (operation)0 : and;
}

static int twice(operation f, operation const *g, int x) { return (*g)(f(x, 1), 2); }

int main(void) {
    int a = klee_range(0, 7, "a"), b = klee_range(0, 7, "b");
    operation f = choose(a), g = choose(b);
    int result = twice(f, &g, 5);
    if (result > 5) return 1;
    return 2;
}
