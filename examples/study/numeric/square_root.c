// Newton's square root, y ← (y + x/y) / 2: from a guess that halves the exponent until a step changes nothing.
#include <klee/klee.h>
#include <math.h>

enum { MOST = 6 };
enum { EXACT, CLOSE, SLOW, NEGATIVE, ZERO, INFINITE, NOT_A_NUMBER };

static int root(double x, double *result) {
    if (isnan(x))
        return NOT_A_NUMBER;
    if (x < 0)
        return NEGATIVE;
    if (x == 0)
        return ZERO;
    if (isinf(x))
        return INFINITE;
    int exponent;
    double fraction = frexp(x, &exponent);
    if (exponent % 2 != 0) {
        fraction *= 2;
        exponent--;
    }
    double y = 0.5 + 0.5 * fraction;
    int steps = 0;
    for (; steps < MOST; steps++) {
        double next = 0.5 * (y + fraction / y);
        if (next == y)
            break;
        y = next;
    }
    *result = ldexp(y, exponent / 2);
    if (steps == MOST)
        return SLOW;
    return *result * *result == x ? EXACT : CLOSE;
}

int main(void) {
    double x, y = 0;
    klee_make_symbolic(&x, sizeof x, "x");
    return root(x, &y);
}
