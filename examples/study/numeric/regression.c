// A line through three points by least squares, and what the correlation says of it.
#include <klee/klee.h>
#include <math.h>

enum { N = 3 };
enum { RISING, FALLING, LEVEL, WEAK, VERTICAL, IMPOSSIBLE, OVERFLOW, INVALID };

static int fit(const float *x, const float *y) {
    float mx = 0, my = 0;
    for (int i = 0; i < N; i++) {
        if (!isfinite(x[i]) || !isfinite(y[i]))
            return INVALID;
        mx += x[i] / N;
        my += y[i] / N;
    }
    float xx = 0, yy = 0, xy = 0;
    for (int i = 0; i < N; i++) {
        float dx = x[i] - mx, dy = y[i] - my;
        xx += dx * dx;
        yy += dy * dy;
        xy += dx * dy;
    }
    if (!isfinite(xx) || !isfinite(yy) || !isfinite(xy))
        return OVERFLOW;
    if (xx == 0)
        return VERTICAL;
    if (yy == 0)
        return LEVEL;
    float squared = xy / xx * (xy / yy);
    if (squared > 1.001f)
        return IMPOSSIBLE;
    if (squared < 0.5f)
        return WEAK;
    return xy > 0 ? RISING : FALLING;
}

int main(void) {
    float x[N], y[N];
    klee_make_symbolic(x, sizeof x, "x");
    klee_make_symbolic(y, sizeof y, "y");
    return fit(x, y);
}
