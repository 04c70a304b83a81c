// A polynomial of degree 4: Descartes' rule of signs, Cauchy's bound on its roots, and Horner's scheme with the running
// bound of its rounding error, which says whether the sign of the value is certain.
#include <klee/klee.h>
#include <math.h>

enum { DEGREE = 4 };
enum { CERTAIN = 0, BEYOND_ROOTS = 5, UNCERTAIN, CONSTANT, OVERFLOW, INVALID };

static int evaluate(const float *a, float x) {
    if (!isfinite(x))
        return INVALID;
    int changes = 0;
    float last = 0, largest = 0;
    for (int i = 0; i <= DEGREE; i++) {
        if (!isfinite(a[i]))
            return INVALID;
        if (a[i] == 0)
            continue;
        if (last != 0 && (last < 0) != (a[i] < 0))
            changes++;
        last = a[i];
        if (i < DEGREE)
            largest = fmaxf(largest, fabsf(a[i]));
    }
    if (a[DEGREE] == 0)
        return CONSTANT;
    if (fabsf(x) > 1 + largest / fabsf(a[DEGREE]))
        return BEYOND_ROOTS;
    float value = a[DEGREE], bound = 0;
    for (int i = DEGREE - 1; i >= 0; i--) {
        value = value * x + a[i];
        bound = bound * fabsf(x) + fabsf(value);
    }
    if (!isfinite(value) || !isfinite(bound))
        return OVERFLOW;
    return fabsf(value) > bound * 6e-8f ? CERTAIN + changes : UNCERTAIN;
}

int main(void) {
    float a[DEGREE + 1], x;
    klee_make_symbolic(a, sizeof a, "a");
    klee_make_symbolic(&x, sizeof x, "x");
    return evaluate(a, x);
}
