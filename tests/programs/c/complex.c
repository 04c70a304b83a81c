// Complex numbers: arithmetic, a discrete Fourier transform, roots of unity by repeated products.
#include <complex.h>
#include <math.h>
#include <stdio.h>

static void show(const char *name, double complex z) { printf("%s %.6f %.6f\n", name, creal(z) + 0.0, cimag(z) + 0.0); }

int main(void) {
    double complex a = 3 + 4 * I, b = 1 - 2 * I;
    show("sum", a + b);
    show("product", a * b);
    show("quotient", a / b);
    show("conjugate", conj(a));
    show("negative", -a);
    printf("%.6f %d %d\n", cabs(a), a == b, a != b);
    float complex f = 1.5f + 0.5f * I;
    f *= f;
    printf("%.4f %.4f\n", (double)crealf(f), (double)cimagf(f));
    double input[8] = {1, 2, 3, 4, 0, -1, -2, -3};
    double c = sqrt(0.5);
    double complex roots[8] = {1, c - c * I, -I, -c - c * I, -1, -c + c * I, I, c + c * I};
    for (int k = 0; k < 8; k++) {
        double complex s = 0;
        for (int n = 0; n < 8; n++)
            s += input[n] * roots[n * k % 8];
        printf("%d %.5f %.5f\n", k, creal(s) + 1e-12, cimag(s) + 1e-12);
    }
    return 0;
}
