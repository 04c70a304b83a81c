// The remainder of a division by repeated subtraction: Remainder of table 4 of the partial-solution cache (Shuai,
// Chen, Ma, Liu and others, 2024), written anew.
//
// Both numbers are symbolic, of any sign. There is a loop for each of the four cases, none of which overflows. After
// SIZE rounds a path gives up. The result has the sign of the dividend, as in C, which is checked.
#include <assert.h>
#include <klee/klee.h>

#ifndef SIZE
#define SIZE 10
#endif

enum { EXACT, WITH_REST, BY_ZERO, UNFINISHED };

static int rounds;

static int more(void) { return rounds++ < SIZE; }

static int remainder_of(int a, int b) {
    if (a > 0) {
        if (b > 0)
            while (a >= b && more())
                a -= b;
        else
            while (a + b >= 0 && more())
                a += b;
    } else if (a < 0) {
        if (b > 0)
            while (a + b <= 0 && more())
                a += b;
        else
            while (a <= b && more())
                a -= b;
    }
    return a;
}

int main(void) {
    int dividend, divisor;
    klee_make_symbolic(&dividend, sizeof dividend, "dividend");
    klee_make_symbolic(&divisor, sizeof divisor, "divisor");
    if (divisor == 0)
        return BY_ZERO;
    int rest = remainder_of(dividend, divisor);
    if (rounds > SIZE)
        return UNFINISHED;
    assert(dividend < 0 ? rest <= 0 : rest >= 0);
    return rest == 0 ? EXACT : WITH_REST;
}
