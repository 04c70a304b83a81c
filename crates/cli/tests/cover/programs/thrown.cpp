// The tests give x as 0 and 1. Behind a line with code: how many of them run it, and how many go each way.
#include <klee/klee.h>

static int sum;

static void check(int x) { //= 2
    if (x == 1) //= 2 [1, 1]
        throw x; //= 1
} //= 1

static int between(int x) { //= 2
    sum++; //= 2
    check(x); //= 2
    sum++; //= 1
    return sum; //= 1
}

int main() { //= 2
    int x;
    klee_make_symbolic(&x, sizeof x, "x"); //= 2
    try {
        between(x); //= 2
        sum++; //= 1
    } catch (int) { //= 2 [1, 0]
        sum = 0; //= 1
    } //= 1
    return sum; //= 2
} //= 1
