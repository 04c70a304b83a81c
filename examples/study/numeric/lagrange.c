// Lagrange's interpolation through three points: Σ yᵢ Π (x - xⱼ) / (xᵢ - xⱼ).
#include <klee/klee.h>
#include <math.h>

enum { N = 3 };
enum { BETWEEN, ABOVE, BELOW, AT_NODE, SAME_NODES, OVERFLOW, INVALID };

struct problem {
    float nodes[N], values[N], x;
};

static int interpolate(const struct problem *p) {
    for (int i = 0; i < N; i++) {
        if (!isfinite(p->nodes[i]) || !isfinite(p->values[i]))
            return INVALID;
        for (int j = 0; j < i; j++)
            if (p->nodes[i] == p->nodes[j])
                return SAME_NODES;
    }
    if (!isfinite(p->x))
        return INVALID;
    float sum = 0, low = p->values[0], high = p->values[0];
    for (int i = 0; i < N; i++) {
        if (p->x == p->nodes[i])
            return AT_NODE;
        float weight = 1;
        for (int j = 0; j < N; j++)
            if (j != i)
                weight *= (p->x - p->nodes[j]) / (p->nodes[i] - p->nodes[j]);
        sum += weight * p->values[i];
        low = fminf(low, p->values[i]);
        high = fmaxf(high, p->values[i]);
    }
    if (!isfinite(sum))
        return OVERFLOW;
    if (sum > high)
        return ABOVE;
    return sum < low ? BELOW : BETWEEN;
}

int main(void) {
    struct problem p;
    klee_make_symbolic(p.nodes, sizeof p.nodes, "nodes");
    klee_make_symbolic(p.values, sizeof p.values, "values");
    klee_make_symbolic(&p.x, sizeof p.x, "x");
    return interpolate(&p);
}
