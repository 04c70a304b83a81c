// The real roots of ax² + bx + c, by the formula that does not cancel: q = -(b + sign(b)√D) / 2, x₁ = q/a, x₂ = c/q.
#include <klee/klee.h>
#include <math.h>

enum { TWO, ONE, NONE, LINEAR, NEVER, ALWAYS, OVERFLOW, INVALID, UNORDERED };

static int roots(double a, double b, double c) {
    if (!isfinite(a) || !isfinite(b) || !isfinite(c))
        return INVALID;
    if (a == 0) {
        if (b == 0)
            return c == 0 ? ALWAYS : NEVER;
        return isfinite(-c / b) ? LINEAR : OVERFLOW;
    }
    double discriminant = b * b - 4 * a * c;
    if (!isfinite(discriminant))
        return OVERFLOW;
    if (discriminant < 0)
        return NONE;
    if (discriminant == 0)
        return ONE;
    double q = -0.5 * (b + copysign(sqrt(discriminant), b));
    double first = q / a, second = c / q;
    if (!isfinite(first) || !isfinite(second))
        return OVERFLOW;
    return first == second ? UNORDERED : TWO;
}

int main(void) {
    double a, b, c;
    klee_make_symbolic(&a, sizeof a, "a");
    klee_make_symbolic(&b, sizeof b, "b");
    klee_make_symbolic(&c, sizeof c, "c");
    return roots(a, b, c);
}
