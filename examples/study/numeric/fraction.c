// The continued fraction of a number: its convergents until one is as good as wanted, or the denominator too large.
#include <klee/klee.h>
#include <math.h>

enum { MOST = 6, LARGEST = 1000 };
enum { INTEGER, CLOSE, TERMINATED, TOO_FINE, LIMIT, TOO_LARGE, INVALID };

static int approximate(double x, long *numerator, long *denominator) {
    if (!isfinite(x))
        return INVALID;
    if (fabs(x) > 1e6)
        return TOO_LARGE;
    long p0 = 1, q0 = 0, p1 = (long)floor(x), q1 = 1;
    double rest = x - floor(x);
    if (rest == 0) {
        *numerator = p1;
        *denominator = 1;
        return INTEGER;
    }
    for (int i = 0; i < MOST; i++) {
        double inverse = 1 / rest, whole = floor(inverse);
        if (whole * q1 + q0 > LARGEST)
            return TOO_FINE;
        long a = (long)whole, p2 = a * p1 + p0, q2 = a * q1 + q0;
        p0 = p1, q0 = q1, p1 = p2, q1 = q2;
        *numerator = p1;
        *denominator = q1;
        rest = inverse - whole;
        if (rest == 0)
            return TERMINATED;
        if (fabs(x - (double)p1 / q1) < 1e-5)
            return CLOSE;
    }
    return LIMIT;
}

int main(void) {
    double x;
    long p, q;
    klee_make_symbolic(&x, sizeof x, "x");
    return approximate(x, &p, &q);
}
