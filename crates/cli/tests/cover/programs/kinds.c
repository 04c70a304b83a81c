// The tests give x as 0, 1, 2, 3, 7, 77 and 78. Behind a line with code: how many of them run it, and how many go
// each way.
#include <assert.h>
#include <klee/klee.h>
#include <stdlib.h>

static void leave(int x) { //= 7
    if (x == 3) //= 7 [1, 6]
        exit(3); //= 1
} //= 6

static int never(int x) { //= 0
    return x + 1; //= 0
}

static int kind(int x) { //= 6
    switch (x) { //= 6 [1, 2, 3]
    case 0:
        return 10; //= 1
    case 1:
    case 2:
        return 20; //= 2
    default:
        return 30; //= 3
    }
} //= 6

int main(void) { //= 7
    int x;
    klee_make_symbolic(&x, sizeof x, "x"); //= 7
    int sum = 0; //= 7
    leave(x); //= 7
    sum += kind(x); //= 6
    if (x > 5 && x < 10) //= 6 [3, 3] [1, 2]
        sum++; //= 1
    if (x == 77) { //= 6 [1, 5]
        int *nowhere = NULL; //= 1
        sum += 1; //= 1
        *nowhere = 3; //= 1
        sum += 2; //= 0
    } //= 0
    for (int i = 0; i < x && i < 2; i++) //= 5 [4, 3] [4, 5]
        sum += i; //= 4
    assert(x != 78); //= 5 [4, 1]
    return sum > 1000 ? never(sum) : 0; //= 4 [0, 4]
}
