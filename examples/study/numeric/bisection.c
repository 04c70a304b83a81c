// Bisection of x³ - x - 2 between two ends that must have values of different signs.
#include <klee/klee.h>
#include <math.h>

enum { MOST = 8 };
enum { NARROW, EXACT, LIMIT, AT_LOW, AT_HIGH, SAME_SIGN, REVERSED, INVALID };

static double cubic(double x) { return (x * x - 1) * x - 2; }

static int bisect(double low, double high, double tolerance) {
    if (!(tolerance > 0) || isinf(tolerance))
        return INVALID;
    if (!(low < high))
        return REVERSED;
    double at_low = cubic(low), at_high = cubic(high);
    if (at_low == 0)
        return AT_LOW;
    if (at_high == 0)
        return AT_HIGH;
    if (signbit(at_low) == signbit(at_high))
        return SAME_SIGN;
    for (int i = 0; i < MOST; i++) {
        double middle = low + (high - low) / 2, value = cubic(middle);
        if (value == 0)
            return EXACT;
        if (high - low < tolerance)
            return NARROW;
        if (signbit(value) == signbit(at_low))
            low = middle;
        else
            high = middle;
    }
    return LIMIT;
}

int main(void) {
    double low, high, tolerance;
    klee_make_symbolic(&low, sizeof low, "low");
    klee_make_symbolic(&high, sizeof high, "high");
    klee_make_symbolic(&tolerance, sizeof tolerance, "tolerance");
    return bisect(low, high, tolerance);
}
