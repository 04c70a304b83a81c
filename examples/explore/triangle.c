// Which kind of triangle three lengths make.
//
// Eight ways through a textbook function, and one mistake that no textbook test finds: the sums wrap around, so sides
// that are long enough are refused, and the assertion says so. Look at the numbers of the failing test: two of them
// add up to more than 32 bits hold.
#include <assert.h>
#include <klee/klee.h>

enum kind { NONE, SCALENE, ISOSCELES, EQUILATERAL };

static enum kind classify(unsigned a, unsigned b, unsigned c) {
    if (a == 0 || b == 0 || c == 0)
        return NONE;
    if (a + b <= c || b + c <= a || c + a <= b)
        return NONE;
    if (a == b && b == c)
        return EQUILATERAL;
    if (a == b || b == c || c == a)
        return ISOSCELES;
    return SCALENE;
}

int main(void) {
    unsigned a, b, c;
    klee_make_symbolic(&a, sizeof a, "a");
    klee_make_symbolic(&b, sizeof b, "b");
    klee_make_symbolic(&c, sizeof c, "c");
    enum kind kind = classify(a, b, c);
    if (a == b && b == c && a != 0)
        assert(kind == EQUILATERAL);
    return kind;
}
