// The sine: reduction to the nearest multiple of π/2 in two parts (Cody and Waite), then Taylor's series of sine or cosine.
#include <klee/klee.h>
#include <math.h>

enum { PLUS, MINUS, ZERO, TINY, TOO_LARGE, OUT_OF_RANGE, INVALID };

static double sine_series(double r) {
    double s = r * r;
    return r * (1 - s / 6 * (1 - s / 20 * (1 - s / 42 * (1 - s / 72))));
}

static double cosine_series(double r) {
    double s = r * r;
    return 1 - s / 2 * (1 - s / 12 * (1 - s / 30 * (1 - s / 56)));
}

static int sine(double x, double *result) {
    if (!isfinite(x))
        return INVALID;
    if (fabs(x) < 1e-8) {
        *result = x;
        return x == 0 ? ZERO : TINY;
    }
    if (fabs(x) > 1e5)
        return TOO_LARGE;
    double turns = rint(x * 0.63661977236758134);
    double r = (x - turns * 1.5707963267341256) - turns * 6.0771005065061922e-11;
    switch ((int)turns & 3) {
    case 0:
        *result = sine_series(r);
        break;
    case 1:
        *result = cosine_series(r);
        break;
    case 2:
        *result = -sine_series(r);
        break;
    default:
        *result = -cosine_series(r);
    }
    if (*result < -1 || *result > 1)
        return OUT_OF_RANGE;
    return *result > 0 ? PLUS : MINUS;
}

int main(void) {
    double x, y = 0;
    klee_make_symbolic(&x, sizeof x, "x");
    return sine(x, &y);
}
