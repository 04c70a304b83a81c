// Euclid's algorithm on floats: the largest length of which two lengths are multiples, up to a tolerance.
#include <klee/klee.h>
#include <math.h>

enum { MOST = 6 };
enum { COMMON, MULTIPLE, EQUAL, INCOMMENSURABLE, NOTHING, INVALID };

static int divisor(float a, float b, float *result) {
    if (!isfinite(a) || !isfinite(b))
        return INVALID;
    a = fabsf(a), b = fabsf(b);
    if (a == 0 && b == 0)
        return NOTHING;
    if (a == b)
        return EQUAL;
    float tolerance = 1e-3f * fmaxf(a, b);
    for (int i = 0; i < MOST; i++) {
        if (b <= tolerance) {
            *result = a;
            return i < 2 ? MULTIPLE : COMMON;
        }
        float rest = fmodf(a, b);
        if (b - rest <= tolerance)
            rest = 0;
        a = b, b = rest;
    }
    return INCOMMENSURABLE;
}

int main(void) {
    float a, b, d = 0;
    klee_make_symbolic(&a, sizeof a, "a");
    klee_make_symbolic(&b, sizeof b, "b");
    return divisor(a, b, &d);
}
