// inputs: count=0..4 x=0..9
// paths: 9
// Functions with any number of arguments, of different types, and a list of them handed on.
#include <klee/klee.h>
#include <stdarg.h>

static int total(const char *types, va_list list) {
    int sum = 0;
    for (; *types; types++) {
        if (*types == 'i')
            sum += va_arg(list, int);
        else if (*types == 'l')
            sum += (int)va_arg(list, long);
        else
            sum += *va_arg(list, const char *);
    }
    return sum;
}

static int sum(const char *types, ...) {
    va_list list, copy;
    va_start(list, types);
    va_copy(copy, list);
    int once = total(types, list);
    int again = total(types, copy);
    va_end(copy);
    va_end(list);
    return once == again ? once : -1;
}

int main(void) {
    int count = klee_range(0, 5, "count"), x = klee_range(0, 10, "x");
    const char *types = &"ilic"[4 - count];
    int result;
    switch (count) {
    case 0: result = sum(types); break;
    case 1: result = sum(types, "\001"); break;
    case 2: result = sum(types, x, "\002"); break;
    case 3: result = sum(types, (long)x, x, "\003"); break;
    default: result = sum(types, 1, 2L * x, x, "\004");
    }
    if (result < 0) return 9; /* never */
    if (result == x) return 1;
    if (result > 12) return 2;
    return 3;
}
