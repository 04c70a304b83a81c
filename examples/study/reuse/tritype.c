// What kind of triangle three sides make: Trityp of GreenTrie (Jia, Ghezzi and Ying, 2015), which is DeMillo and
// Offutt's solution (1991) of Myers's problem (1979), written anew from its description.
//
// Which sides are equal is noted as a sum of flags, whose value then says it all. Sums of sides are compared as
// differences of positive numbers, so that nothing overflows.
#include <klee/klee.h>

enum kind { SCALENE = 1, ISOSCELES, EQUILATERAL, NONE };

// What equal sides add to the flags: the sum of any two is none of them.
enum { FIRST_AND_SECOND = 1, FIRST_AND_THIRD = 2, SECOND_AND_THIRD = 3 };

static enum kind classify(int a, int b, int c) {
    if (a <= 0 || b <= 0 || c <= 0)
        return NONE;
    int flags = 0;
    if (a == b)
        flags += FIRST_AND_SECOND;
    if (a == c)
        flags += FIRST_AND_THIRD;
    if (b == c)
        flags += SECOND_AND_THIRD;
    if (flags == 0) {
        if (a <= c - b || b <= a - c || c <= b - a)
            return NONE;
        return SCALENE;
    }
    if (flags > SECOND_AND_THIRD)
        return EQUILATERAL;
    if (flags == FIRST_AND_SECOND && a > c - b)
        return ISOSCELES;
    if (flags == FIRST_AND_THIRD && a > b - c)
        return ISOSCELES;
    if (flags == SECOND_AND_THIRD && b > a - c)
        return ISOSCELES;
    return NONE;
}

int main(void) {
    int a, b, c;
    klee_make_symbolic(&a, sizeof a, "a");
    klee_make_symbolic(&b, sizeof b, "b");
    klee_make_symbolic(&c, sizeof c, "c");
    return classify(a, b, c);
}
