// √(x² + y²) without undue overflow: the smaller side relative to the larger one; special values as IEEE 754 has them.
#include <klee/klee.h>
#include <math.h>

enum { PLAIN, SCALED, NEGLIGIBLE, ZERO, OVERFLOW, INFINITE, NOT_A_NUMBER, SHORTER };

static int hypotenuse(double x, double y, double *result) {
    if (isinf(x) || isinf(y)) // even if the other is NaN
        return INFINITE;
    if (isnan(x) || isnan(y))
        return NOT_A_NUMBER;
    double large = fabs(x), small = fabs(y);
    if (small > large) {
        double t = large;
        large = small, small = t;
    }
    if (large == 0)
        return ZERO;
    if (large + small == large) {
        *result = large;
        return NEGLIGIBLE;
    }
    if (large < 1e150 && small > 1e-150) {
        *result = sqrt(large * large + small * small);
        return *result < large ? SHORTER : PLAIN;
    }
    double ratio = small / large;
    *result = large * sqrt(1 + ratio * ratio);
    if (isinf(*result))
        return OVERFLOW;
    return *result < large ? SHORTER : SCALED;
}

int main(void) {
    double x, y, z = 0;
    klee_make_symbolic(&x, sizeof x, "x");
    klee_make_symbolic(&y, sizeof y, "y");
    return hypotenuse(x, y, &z);
}
