// Variable arguments: all classes of them, more than registers hold, va_copy, a va_list passed on, structures.
#include <stdarg.h>
#include <stdio.h>

struct Point { int x, y; };
struct Big { long v[4]; };

static long sum(int count, ...) {
    va_list args;
    va_start(args, count);
    long s = 0;
    for (int i = 0; i < count; i++)
        s = s * 3 + va_arg(args, int);
    va_end(args);
    return s;
}
static double mixed(const char *kinds, ...) {
    va_list args;
    va_start(args, kinds);
    double s = 0;
    for (; *kinds; kinds++)
        switch (*kinds) {
        case 'i': s += va_arg(args, int); break;
        case 'l': s += (double)va_arg(args, long long); break;
        case 'd': s += va_arg(args, double); break;
        case 'D': s += (double)va_arg(args, long double); break;
        case 's': s += *va_arg(args, const char *); break;
        case 'p': { struct Point p = va_arg(args, struct Point); s += p.x * 1000 + p.y; break; }
        case 'b': { struct Big b = va_arg(args, struct Big); s += (double)(b.v[0] + b.v[3]); break; }
        }
    va_end(args);
    return s;
}
static int twice(char *out, size_t size, const char *format, ...) {
    va_list args, copy;
    va_start(args, format);
    va_copy(copy, args);
    int n = vsnprintf(out, size, format, args);
    va_end(args);
    n += vprintf(format, copy);
    va_end(copy);
    return n;
}
static long take(va_list *args, int count) {
    long s = 0;
    while (count--)
        s += va_arg(*args, long);
    return s;
}
static void split(int first, ...) {
    va_list args;
    va_start(args, first);
    long a = take(&args, first), b = take(&args, 2);
    va_end(args);
    printf("%ld %ld\n", a, b);
}

int main(void) {
    printf("%ld %ld\n", sum(3, 1, 2, 3), sum(10, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10));
    printf("%g\n", mixed("idlsdidididddddddd", 1, 2.5, 3LL, "A", 0.5, 1, 1.0, 2, 2.0, 3, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0, 9.0, 10.0));
    printf("%g\n", mixed("ipbDpi", 1, (struct Point){2, 3}, (struct Big){{4, 5, 6, 7}}, 1.25L, (struct Point){4, 5}, 6));
    char text[64];
    int n = twice(text, sizeof text, "%d %s %.2f\n", 42, "and", 3.14159);
    printf("%d %s", n, text);
    split(3, 1L, 2L, 3L, 40L, 50L);
    return 0;
}
