// Newton's cube root, y ← (2y + x/y²) / 3, on a number brought between 1/8 and 1 by powers of 8.
#include <klee/klee.h>
#include <math.h>

enum { MOST_SCALINGS = 4, MOST_STEPS = 5 };
enum { FOUND, NEGATED, SLOW, LARGE, SMALL, ZERO, INVALID };

static int root(float x, float *result) {
    if (!isfinite(x))
        return INVALID;
    if (x == 0)
        return ZERO;
    float size = fabsf(x), scale = 1;
    for (int i = 0; size > 1; i++, size /= 8, scale *= 2)
        if (i == MOST_SCALINGS)
            return LARGE;
    for (int i = 0; size < 0.125f; i++, size *= 8, scale /= 2)
        if (i == MOST_SCALINGS)
            return SMALL;
    float y = 0.5f + 0.5f * size;
    for (int step = 0;; step++) {
        if (step == MOST_STEPS)
            return SLOW;
        float next = (2 * y + size / (y * y)) / 3;
        if (fabsf(next - y) <= 1e-6f * y)
            break;
        y = next;
    }
    *result = copysignf(y * scale, x);
    return x < 0 ? NEGATED : FOUND;
}

int main(void) {
    float x, y = 0;
    klee_make_symbolic(&x, sizeof x, "x");
    return root(x, &y);
}
