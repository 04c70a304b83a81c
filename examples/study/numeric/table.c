// Linear interpolation in a table of the standard atmosphere, and its inverse: the altitude of a pressure.
#include <klee/klee.h>
#include <math.h>

enum { N = 9 };
enum { FOUND, EXACT, ROUND_TRIP, TOO_LOW, TOO_HIGH, INVALID };

static const double altitudes[N] = {0, 1000, 2000, 3000, 5000, 7000, 10000, 15000, 20000};
static const double pressures[N] = {1013.25, 898.74, 794.95, 701.08, 540.19, 410.60, 264.36, 120.44, 54.75};

static int pressure(double altitude, double *result) {
    if (isnan(altitude))
        return INVALID;
    if (altitude < altitudes[0])
        return TOO_LOW;
    if (altitude > altitudes[N - 1])
        return TOO_HIGH;
    int low = 0, high = N - 1;
    while (high - low > 1) {
        int middle = (low + high) / 2;
        if (altitude < altitudes[middle])
            high = middle;
        else
            low = middle;
    }
    double t = (altitude - altitudes[low]) / (altitudes[high] - altitudes[low]);
    *result = pressures[low] + t * (pressures[high] - pressures[low]);
    return t == 0 || t == 1 ? EXACT : FOUND;
}

static double altitude_of(double pressure) {
    int i = 0;
    while (i < N - 2 && pressure < pressures[i + 1])
        i++;
    double t = (pressure - pressures[i]) / (pressures[i + 1] - pressures[i]);
    return altitudes[i] + t * (altitudes[i + 1] - altitudes[i]);
}

int main(void) {
    double altitude, p;
    klee_make_symbolic(&altitude, sizeof altitude, "altitude");
    int code = pressure(altitude, &p);
    if (code == FOUND && altitude_of(p) == altitude)
        return ROUND_TRIP;
    return code;
}
