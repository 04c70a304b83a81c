// Adaptive Simpson's rule for 1 / (1 + x²): an interval is halved until Richardson's estimate of the error is small.
#include <klee/klee.h>
#include <math.h>

enum { DEEPEST = 2 };
enum { ACCURATE, REFINED, COARSE, EMPTY, WIDE, INVALID };

static int refinements, failures;

static double f(double x) { return 1 / (1 + x * x); }

static double rule(double a, double b) { return (b - a) / 6 * (f(a) + 4 * f((a + b) / 2) + f(b)); }

static double integrate(double a, double b, double whole, double tolerance, int depth) {
    double middle = (a + b) / 2, left = rule(a, middle), right = rule(middle, b);
    double error = (left + right - whole) / 15;
    if (fabs(error) <= tolerance)
        return left + right + error;
    if (depth == DEEPEST) {
        failures++;
        return left + right;
    }
    refinements++;
    return integrate(a, middle, left, tolerance / 2, depth + 1) + integrate(middle, b, right, tolerance / 2, depth + 1);
}

static int integral(double a, double b) {
    if (isnan(a) || isnan(b))
        return INVALID;
    if (a == b)
        return EMPTY;
    if (fabs(b - a) > 8)
        return WIDE;
    integrate(a, b, rule(a, b), 1e-3, 0);
    if (failures > 0)
        return COARSE;
    return refinements > 0 ? REFINED : ACCURATE;
}

int main(void) {
    double a, b;
    klee_make_symbolic(&a, sizeof a, "a");
    klee_make_symbolic(&b, sizeof b, "b");
    return integral(a, b);
}
