// The greatest common divisor by subtraction alone: Euclid of GreenTrie (Jia, Ghezzi and Ying, 2015), written anew.
//
// Both numbers are symbolic, from 1 to GREATEST. A path is what is subtracted from what: one for each reduced fraction
// of two such numbers. `--cflags=-DVERSION=n` makes the versions of table 2:
//
//   0            the program of table 1
//   1, 2, 3      additions, each to the one before: numbers that are 1 end early; the first one must not be the lesser;
//                neither must the second be in the lower half. Deletions are the same backwards: from 3 to 2, 1 and 0
//   11, 12, 13   modifications of version 0: another least number, another comparison, another assignment
#include <klee/klee.h>

#ifndef VERSION
#define VERSION 0
#endif
#ifndef GREATEST
#define GREATEST 17
#endif

#if VERSION == 11
enum { INVALID = 0, LEAST = 2 };
#else
enum { INVALID = 0, LEAST = 1 };
#endif

static int divisor(int a, int b) {
    if (a < LEAST || a > GREATEST || b < LEAST || b > GREATEST)
        return INVALID;
#if VERSION >= 1 && VERSION <= 3
    if (a == 1 || b == 1)
        return 1;
#endif
#if VERSION == 2 || VERSION == 3
    if (a < b)
        return INVALID;
#endif
#if VERSION == 3
    if (b <= GREATEST / 2)
        return INVALID;
#endif
    for (;;) {
        if (a == b)
            return a;
#if VERSION == 12
        if (b >= a)
            b -= a;
        else
            a -= b;
#elif VERSION == 13
        if (a > b)
            a -= b;
        else {
            int less = b - a;
            b = a;
            a = less;
        }
#else
        if (a > b)
            a -= b;
        else
            b -= a;
#endif
    }
}

int main(void) {
    int a, b;
    klee_make_symbolic(&a, sizeof a, "a");
    klee_make_symbolic(&b, sizeof b, "b");
    return divisor(a, b);
}
