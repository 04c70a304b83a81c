// The error function by the rational approximation 7.1.26 of Abramowitz and Stegun, and what it says of a measurement.
#include <klee/klee.h>
#include <math.h>

enum { LIKELY, UNLIKELY, VERY_UNLIKELY, BEYOND, CENTRE, OUT_OF_RANGE, NO_SPREAD, INVALID };

static double error_function(double x) {
    double size = fabs(x), t = 1 / (1 + 0.3275911 * size);
    double sum = 1.061405429;
    sum = sum * t - 1.453152027;
    sum = sum * t + 1.421413741;
    sum = sum * t - 0.284496736;
    sum = sum * t + 0.254829592;
    double value = 1 - sum * t * exp(-size * size);
    return x < 0 ? -value : value;
}

static int judge(double x, double mean, double deviation) {
    if (isnan(x) || isnan(mean) || isnan(deviation) || deviation < 0)
        return INVALID;
    if (deviation == 0)
        return NO_SPREAD;
    double z = (x - mean) / deviation;
    if (z == 0)
        return CENTRE;
    if (!(fabs(z) < 6))
        return BEYOND;
    double inside = error_function(fabs(z) * 0.70710678118654752);
    if (inside < -1e-6 || inside > 1)
        return OUT_OF_RANGE;
    if (inside < 0.9)
        return LIKELY;
    return inside < 0.99 ? UNLIKELY : VERY_UNLIKELY;
}

int main(void) {
    double x, mean, deviation;
    klee_make_symbolic(&x, sizeof x, "x");
    klee_make_symbolic(&mean, sizeof mean, "mean");
    klee_make_symbolic(&deviation, sizeof deviation, "deviation");
    return judge(x, mean, deviation);
}
