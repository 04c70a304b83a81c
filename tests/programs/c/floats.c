// Floating point: arithmetic, conversions, special values, rounding, the usual functions, long double.
#include <float.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

static void bits(double d) {
    uint64_t u;
    memcpy(&u, &d, sizeof u);
    printf("%016llx ", (unsigned long long)u);
}

int main(void) {
    double values[] = {0.0, -0.0, 1.0, -1.5, 0.1, 1e300, 1e-300, 4.9e-324, DBL_MAX, INFINITY, -INFINITY};
    for (int i = 0; i < 11; i++) {
        double v = values[i];
        bits(v);
        printf("%g %e %f %a %d %d %d\n", v, v, v, v, isinf(v) != 0, signbit(v) != 0, fpclassify(v) == FP_SUBNORMAL);
    }
    double nan = values[9] - values[9];
    printf("%d %d %d %d\n", nan == nan, nan < 1, !(nan >= 1), isnan(nan) != 0);
    float f = 16777216.0f;
    printf("%d %.9g %.9g\n", f + 1.0f == f, (double)(0.1f + 0.2f), 0.1 + 0.2);
    printf("%d %d %u %lld\n", (int)3.99, (int)-3.99, (unsigned)3e9, (long long)-1e18);
    printf("%.1f %.1f %.1f\n", (double)UINT64_MAX, (double)INT64_MIN, (double)(float)16777217);
    for (double x = -2.5; x <= 2.5; x += 0.5)
        printf("%g: %g %g %g %g %g %g\n", x, floor(x), ceil(x), trunc(x), round(x), rint(x), fabs(x));
    printf("%.12g %.12g %.12g %.12g\n", sqrt(2), pow(2, 0.5), exp(1), log(10));
    printf("%.12g %.12g %.12g %.12g\n", sin(1), cos(1), tan(1), atan2(1, -1));
    printf("%g %g %g\n", fmod(10.5, 3), fmin(1, 2), fmax(1, 2));
    int exponent;
    double mantissa = frexp(48.0, &exponent);
    double whole;
    double part = modf(-3.25, &whole);
    printf("%g %d %g %g %g %g\n", mantissa, exponent, ldexp(0.75, 6), part, whole, copysign(3, -0.0));
    long double third = 1.0L / 3;
    printf("%.18Lf %Lg %Le\n", third, third * 3, 1e100L);
    printf("%zu %d\n", sizeof(float), third * 3 == 1.0L);
    double sum = 0, correction = 0;
    for (int i = 1; i <= 1000; i++) {
        double y = 1.0 / i - correction;
        double t = sum + y;
        correction = (t - sum) - y;
        sum = t;
    }
    printf("%.15f\n", sum);
    return 0;
}
