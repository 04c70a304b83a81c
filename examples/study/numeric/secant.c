// The secant method on x² - c, from two points: x₂ = x₁ - f(x₁)(x₁ - x₀) / (f(x₁) - f(x₀)).
#include <klee/klee.h>
#include <math.h>

enum { MOST = 4 };
enum { CONVERGED, EXACT, LIMIT, FLAT, DIVERGED, INVALID };

static int secant(double c, double x0, double x1) {
    if (isnan(c) || isnan(x0) || isnan(x1) || x0 == x1)
        return INVALID;
    double y0 = x0 * x0 - c;
    for (int i = 0; i < MOST; i++) {
        double y1 = x1 * x1 - c;
        if (y1 == 0)
            return EXACT;
        if (y1 == y0)
            return FLAT;
        double next = x1 - y1 * (x1 - x0) / (y1 - y0);
        if (!(fabs(next) < 1e6))
            return DIVERGED;
        if (fabs(next - x1) < 1e-9)
            return CONVERGED;
        x0 = x1, y0 = y1, x1 = next;
    }
    return LIMIT;
}

int main(void) {
    double c, x0, x1;
    klee_make_symbolic(&c, sizeof c, "c");
    klee_make_symbolic(&x0, sizeof x0, "x0");
    klee_make_symbolic(&x1, sizeof x1, "x1");
    return secant(c, x0, x1);
}
