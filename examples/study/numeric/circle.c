// Where a segment meets a circle around the origin: the quadratic equation of its parameter.
#include <klee/klee.h>
#include <math.h>

enum { MISSES, TOUCHES, ENTERS, LEAVES, CROSSES, INSIDE, BEFORE, BEHIND, POINT, OVERFLOW, INVALID };

struct problem {
    float x, y, dx, dy, radius;
};

static int meet(const struct problem *p) {
    if (!isfinite(p->x) || !isfinite(p->y) || !isfinite(p->dx) || !isfinite(p->dy) || !(p->radius > 0))
        return INVALID;
    float a = p->dx * p->dx + p->dy * p->dy;
    float half = p->x * p->dx + p->y * p->dy;
    float c = p->x * p->x + p->y * p->y - p->radius * p->radius;
    if (a == 0)
        return POINT;
    float discriminant = half * half - a * c;
    if (!isfinite(discriminant))
        return OVERFLOW;
    if (discriminant < 0)
        return MISSES;
    if (discriminant == 0)
        return TOUCHES;
    float root = sqrtf(discriminant), first = (-half - root) / a, last = (-half + root) / a;
    if (last < 0)
        return BEHIND;
    if (first > 1)
        return BEFORE;
    if (first < 0)
        return last > 1 ? INSIDE : LEAVES;
    return last > 1 ? ENTERS : CROSSES;
}

int main(void) {
    struct problem p;
    klee_make_symbolic(&p, sizeof p, "problem");
    return meet(&p);
}
