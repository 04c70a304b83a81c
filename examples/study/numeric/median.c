// The median of five by six comparisons (Knuth, volume 3, 5.3.3), and whether the others lie around it.
#include <klee/klee.h>
#include <math.h>

enum { INSIDE, TIED, SPREAD, WRONG, INVALID };

static void order(double *a, double *b) {
    if (*b < *a) {
        double t = *a;
        *a = *b;
        *b = t;
    }
}

static double median(double a, double b, double c, double d, double e) {
    order(&a, &b);
    order(&c, &d);
    if (c < a) { // a is the least of the four and cannot be it
        double t = a;
        a = c, c = t;
        t = b;
        b = d, d = t;
    }
    order(&b, &e);
    // c ≤ d and b ≤ e are left: the second of these four.
    if (b < c)
        return e < c ? e : c;
    return b < d ? b : d;
}

int main(void) {
    double v[5];
    klee_make_symbolic(v, sizeof v, "values");
    for (int i = 0; i < 5; i++)
        if (isnan(v[i]))
            return INVALID;
    double m = median(v[0], v[1], v[2], v[3], v[4]);
    int less = 0, greater = 0;
    for (int i = 0; i < 5; i++) {
        if (v[i] < m)
            less++;
        else if (v[i] > m)
            greater++;
    }
    if (less > 2 || greater > 2)
        return WRONG;
    if (less + greater < 4)
        return TIED;
    return v[4] - v[0] > 1e3 ? SPREAD : INSIDE;
}
