// The gamma function by the approximation of Lanczos (g = 5, six terms), with Euler's reflection below one half.
#include <klee/klee.h>
#include <math.h>

enum { POSITIVE, NEGATIVE, POLE, OVERFLOW, UNDERFLOW, FACTORIAL, INVALID };

static const double coefficients[6] = {76.18009172947146,     -86.50532032941677,   24.01409824083091,
                                       -1.231739572450155,    0.1208650973866179e-2, -0.5395239384953e-5};

static double lanczos(double x) {
    double sum = 1.000000000190015;
    for (int i = 0; i < 6; i++)
        sum += coefficients[i] / (x + i);
    double base = x + 4.5;
    return 2.5066282746310005 * sum * pow(base, x - 0.5) * exp(-base);
}

static int gamma_of(double x, double *result) {
    if (isnan(x) || x == -INFINITY)
        return INVALID;
    if (x > 171.6)
        return OVERFLOW;
    if (x <= 0 && x == floor(x))
        return POLE;
    if (x < -170)
        return UNDERFLOW;
    if (x > 0 && x < 20 && x == floor(x)) {
        *result = 1;
        for (int i = 2; i < x; i++)
            *result *= i;
        return FACTORIAL;
    }
    if (x < 0.5) {
        double sine = sin(3.14159265358979312 * x);
        *result = 3.14159265358979312 / (sine * lanczos(1 - x));
    } else {
        *result = lanczos(x);
    }
    if (isinf(*result))
        return OVERFLOW;
    return *result < 0 ? NEGATIVE : POSITIVE;
}

int main(void) {
    double x, y;
    klee_make_symbolic(&x, sizeof x, "x");
    return gamma_of(x, &y);
}
