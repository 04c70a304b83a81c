// A ray against a box by slabs (Kay and Kajiya, 1986): the interval of its parameter in all three dimensions.
#include <klee/klee.h>
#include <math.h>

enum { N = 3 };
enum { HIT, INSIDE, MISS, BEHIND, PARALLEL_MISS, FLAT, EDGE, INVALID };

struct ray {
    float origin[N], direction[N];
};

static int meet(const struct ray *ray, const float *low, const float *high) {
    float enter = -INFINITY, leave = INFINITY;
    int still = 0;
    for (int i = 0; i < N; i++) {
        if (isnan(ray->origin[i]) || isnan(ray->direction[i]))
            return INVALID;
        if (ray->direction[i] == 0) {
            still++;
            if (ray->origin[i] < low[i] || ray->origin[i] > high[i])
                return PARALLEL_MISS;
            continue;
        }
        float near = (low[i] - ray->origin[i]) / ray->direction[i];
        float far = (high[i] - ray->origin[i]) / ray->direction[i];
        if (near > far) {
            float t = near;
            near = far, far = t;
        }
        if (near > enter)
            enter = near;
        if (far < leave)
            leave = far;
        if (enter > leave)
            return MISS;
    }
    if (still == N)
        return FLAT;
    if (leave < 0)
        return BEHIND;
    if (enter == leave)
        return EDGE;
    return enter < 0 ? INSIDE : HIT;
}

int main(void) {
    struct ray ray;
    static const float low[N] = {-1, -2, -0.5f}, high[N] = {1, 2, 0.5f};
    klee_make_symbolic(&ray, sizeof ray, "ray");
    return meet(&ray, low, high);
}
