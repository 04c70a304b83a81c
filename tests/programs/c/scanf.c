// sscanf and the strto functions: conversions, widths, sets, assignment suppression, counts.
#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int main(void) {
    int a, b, n;
    unsigned u;
    long l;
    double d;
    float f;
    char word[20], rest[20], c;
    printf("%d ", sscanf("12 -34", "%d %d", &a, &b));
    printf("%d %d\n", a, b);
    printf("%d ", sscanf("0x1f 017 99", "%i %i %u", &a, &b, &u));
    printf("%d %d %u\n", a, b, u);
    printf("%d ", sscanf("deadbeef,755", "%x,%o", &u, (unsigned *)&a));
    printf("%x %o\n", u, (unsigned)a);
    printf("%d ", sscanf("3.25e2 -0.5", "%lf %f", &d, &f));
    printf("%g %g\n", d, (double)f);
    printf("%d ", sscanf("hello world", "%s %4s", word, rest));
    printf("[%s] [%s]\n", word, rest);
    printf("%d ", sscanf("key=value;", "%[a-z]=%[^;]%c", word, rest, &c));
    printf("[%s] [%s] %c\n", word, rest, c);
    printf("%d ", sscanf("123456", "%3d%2d%n", &a, &b, &n));
    printf("%d %d %d\n", a, b, n);
    printf("%d ", sscanf("7 8 9", "%d %*d %d", &a, &b));
    printf("%d %d\n", a, b);
    printf("%d %d\n", sscanf("x", "%d", &a), sscanf("", "%d", &a));
    printf("%d ", sscanf("1234567890123", "%ld", &l));
    printf("%ld\n", l);
    char *end;
    printf("%ld %ld %lu\n", strtol("  -42abc", &end, 10), strtol("ff", NULL, 16), strtoul("777", NULL, 8));
    printf("[%s]\n", end);
    printf("%ld %ld\n", strtol("0x7fg", &end, 0), strtol("zz", NULL, 36));
    printf("[%s]\n", end);
    errno = 0;
    printf("%ld ", strtol("99999999999999999999", NULL, 10));
    printf("%d\n", errno == ERANGE);
    printf("%g %g %g\n", strtod("1.5xyz", &end), atof("2.75"), strtod("-inf", NULL));
    printf("[%s] %d %ld %lld\n", end, atoi("123"), atol("-456"), atoll("789012345678"));
    for (int k = 0; k < 128; k++)
        putchar(isalpha(k) ? (isupper(k) ? 'U' : 'l') : isdigit(k) ? 'd' : isspace(k) ? 's' : ispunct(k) ? 'p' : '.');
    printf("\n%c%c%d\n", toupper('q'), tolower('Q'), isxdigit('g') != 0);
    return 0;
}
