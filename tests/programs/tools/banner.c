// Prints a greeting with a format that an option can replace, as date and stat do. What is behind the only %s is
// taken as it is.
// run: --sym-arg 4 --sym-env USER=1
// error: out-of-bounds read
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int is_allowed(const char *format) {
    int conversions = 0;
    for (; *format; format++)
        if (*format == '%') {
#ifdef GOOD
            if (format[1] != 's' || ++conversions > 1)
                return 0;
            format++;
#else
            /* Only the first one is looked at. */
            if (conversions++ == 0 && format[1] != 's')
                return 0;
#endif
        }
    return 1;
}

int main(int argc, char **argv) {
    const char *user = getenv("USER");
    if (!user || !is_allowed(argv[1]))
        return 1;
    printf(argv[1], user);
    return 0;
}
