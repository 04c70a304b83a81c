// signgam is set by the functions that say so, and by no others.
#include <math.h>
#include <stdio.h>

extern int signgam;

static void show(const char *what, double value) { printf("%s %.12g %d\n", what, value, signgam); }

int main(void) {
    volatile double x = -0.5;
    volatile float f = -2.5f;
    volatile long double l = -1.5L;
    int sign = 0;
    show("start", 0);
    show("lgamma", lgamma(x));
    show("tgamma", tgamma(3.5 + x));
    show("lgamma_r", lgamma_r(2.5 + x, &sign));
    printf("%d\n", sign);
    show("lgamma", lgamma(4.5 + x));
    show("lgammaf", lgammaf(f));
    show("lgammal", (double)lgammal(l));
    show("gamma", gamma(x));
    show("lgammaf_r", lgammaf_r(7.5f, &sign));
    printf("%d\n", sign);
    show("sqrt", sqrt(2.25));
    return 0;
}
