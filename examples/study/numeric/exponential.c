// eˣ = 2ᵏ eʳ with k the nearest integer to x / ln 2, and the series of eʳ until a term no longer counts.
#include <klee/klee.h>
#include <math.h>

enum { MOST = 14 };
enum { ABOVE_ONE, BELOW_ONE, ONE, SUBNORMAL, UNDERFLOW, OVERFLOW, SLOW, INVALID };

static int exponential(double x, double *result) {
    if (isnan(x))
        return INVALID;
    if (x > 709.782712893384)
        return OVERFLOW;
    if (x < -745.1332191019412)
        return UNDERFLOW;
    double k = floor(x * 1.4426950408889634 + 0.5);
    double r = (x - k * 0.6931471803691238) - k * 1.9082149292705877e-10;
    double term = 1, sum = 1;
    int n = 1;
    for (; n <= MOST; n++) {
        term *= r / n;
        if (sum + term == sum)
            break;
        sum += term;
    }
    if (n > MOST)
        return SLOW;
    *result = ldexp(sum, (int)k);
    if (*result < 2.2250738585072014e-308)
        return SUBNORMAL;
    if (*result == 1)
        return ONE;
    return *result > 1 ? ABOVE_ONE : BELOW_ONE;
}

int main(void) {
    double x, y = 0;
    klee_make_symbolic(&x, sizeof x, "x");
    return exponential(x, &y);
}
