// Clamping and smooth steps between two edges (Hermite's 3t² - 2t³, Perlin's 6t⁵ - 15t⁴ + 10t³), which may be reversed.
#include <klee/klee.h>
#include <math.h>

enum { BELOW, ABOVE, LOWER_HALF, UPPER_HALF, MIDDLE, CROSSED, OUTSIDE, INVALID };

static float clamp(float x, float low, float high) {
    if (x < low)
        return low;
    return x > high ? high : x;
}

static int step(float edge0, float edge1, float x) {
    if (isnan(x) || !isfinite(edge0) || !isfinite(edge1) || edge0 == edge1)
        return INVALID;
    float t = clamp((x - edge0) / (edge1 - edge0), 0, 1);
    if (t == 0)
        return BELOW;
    if (t == 1)
        return ABOVE;
    float hermite = t * t * (3 - 2 * t);
    float perlin = t * t * t * (t * (t * 6 - 15) + 10);
    if (hermite < 0 || hermite > 1)
        return OUTSIDE;
    if (hermite == 0.5f)
        return MIDDLE;
    if ((hermite < 0.5f) != (perlin < 0.5f))
        return CROSSED;
    return hermite < 0.5f ? LOWER_HALF : UPPER_HALF;
}

int main(void) {
    float edge0, edge1, x;
    klee_make_symbolic(&edge0, sizeof edge0, "edge0");
    klee_make_symbolic(&edge1, sizeof edge1, "edge1");
    klee_make_symbolic(&x, sizeof x, "x");
    return step(edge0, edge1, x);
}
