// J₀ by its power series Σ (-x²/4)ᵏ / k!² for small arguments, by the leading asymptotic term for large ones.
#include <klee/klee.h>
#include <math.h>

enum { MOST = 12 };
enum { POSITIVE, NEGATIVE, NEAR_ROOT, AT_ZERO, ASYMPTOTIC, VANISHED, SLOW, INVALID };

static int classify(double value) {
    if (fabs(value) < 1e-3)
        return NEAR_ROOT;
    return value > 0 ? POSITIVE : NEGATIVE;
}

static int bessel(double x) {
    if (isnan(x))
        return INVALID;
    x = fabs(x);
    if (x == 0)
        return AT_ZERO;
    if (isinf(x))
        return VANISHED;
    if (x > 8) {
        double value = sqrt(0.63661977236758134 / x) * cos(x - 0.78539816339744831);
        return value == 0 ? VANISHED : ASYMPTOTIC;
    }
    double quarter = -0.25 * x * x, term = 1, sum = 1;
    for (int k = 1; k <= MOST; k++) {
        term *= quarter / (k * k);
        sum += term;
        if (fabs(term) < 1e-4)
            return classify(sum);
    }
    return SLOW;
}

int main(void) {
    double x;
    klee_make_symbolic(&x, sizeof x, "x");
    return bessel(x);
}
