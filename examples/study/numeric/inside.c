// Is a point in a triangle? By the signs of three cross products, and by barycentric coordinates: do the two agree?
#include <klee/klee.h>
#include <math.h>

enum { OUTSIDE, INSIDE, ON_EDGE, AT_CORNER, DEGENERATE, CONTRADICTION, INVALID };

struct point {
    float x, y;
};

static float cross(struct point a, struct point b, struct point c) {
    return (b.x - a.x) * (c.y - a.y) - (b.y - a.y) * (c.x - a.x);
}

static int is_sane(struct point p) { return fabsf(p.x) <= 1e6f && fabsf(p.y) <= 1e6f; }

static int locate(struct point p, struct point a, struct point b, struct point c) {
    if (!is_sane(p) || !is_sane(a) || !is_sane(b) || !is_sane(c))
        return INVALID;
    float area = cross(a, b, c);
    if (area == 0)
        return DEGENERATE;
    float u = cross(b, c, p), v = cross(c, a, p), w = cross(a, b, p);
    int zeros = (u == 0) + (v == 0) + (w == 0);
    if (zeros == 2)
        return AT_CORNER;
    int is_inside = area > 0 ? u >= 0 && v >= 0 && w >= 0 : u <= 0 && v <= 0 && w <= 0;
    float first = u / area, second = v / area, third = 1 - first - second;
    int is_sum = first >= 0 && second >= 0 && third >= 0;
    if (is_inside && !is_sum && third < -0.01f)
        return CONTRADICTION;
    if (!is_inside)
        return OUTSIDE;
    return zeros > 0 ? ON_EDGE : INSIDE;
}

int main(void) {
    struct point p[4];
    klee_make_symbolic(p, sizeof p, "points");
    return locate(p[0], p[1], p[2], p[3]);
}
