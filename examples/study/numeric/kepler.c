// Kepler's equation M = E - e sin E by Newton's method; open orbits are told apart.
#include <klee/klee.h>
#include <math.h>

enum { MOST = 4 };
enum { SOLVED, CIRCLE, PARABOLA, HYPERBOLA, SLOW, OUT_OF_TURN, INVALID };

static int anomaly(double mean, double eccentricity, double *result) {
    if (!isfinite(mean) || isnan(eccentricity) || eccentricity < 0)
        return INVALID;
    if (eccentricity == 0) {
        *result = mean;
        return CIRCLE;
    }
    if (eccentricity == 1)
        return PARABOLA;
    if (eccentricity > 1)
        return HYPERBOLA;
    if (fabs(mean) > 3.14159265358979312)
        return OUT_OF_TURN;
    double e = eccentricity > 0.8 ? copysign(3.14159265358979312, mean) : mean;
    for (int i = 0; i < MOST; i++) {
        double step = (e - eccentricity * sin(e) - mean) / (1 - eccentricity * cos(e));
        e -= step;
        if (fabs(step) < 1e-6) {
            *result = e;
            return SOLVED;
        }
    }
    return SLOW;
}

int main(void) {
    double mean, eccentricity, e = 0;
    klee_make_symbolic(&mean, sizeof mean, "mean");
    klee_make_symbolic(&eccentricity, sizeof eccentricity, "eccentricity");
    return anomaly(mean, eccentricity, &e);
}
