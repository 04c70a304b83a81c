// Aliases of aliases, of functions and of variables, declared in no order.
#include <stdio.h>

extern int seventh(int) __attribute__((alias("sixth")));
extern int third(int) __attribute__((alias("second")));
extern int first(int) __attribute__((alias("original")));
extern int sixth(int) __attribute__((alias("fifth")));
extern int second(int) __attribute__((alias("first")));
extern int fifth(int) __attribute__((alias("fourth")));
extern int fourth(int) __attribute__((alias("third")));

int original(int n) { return 3 * n + 1; }

extern int a6 __attribute__((alias("a5")));
extern int a5 __attribute__((alias("a4")));
extern int a4 __attribute__((alias("a3")));
extern int a3 __attribute__((alias("a2")));
extern int a2 __attribute__((alias("a1")));
extern int a1 __attribute__((alias("a0")));
int a0 = 40;

static int (*const table[])(int) = {first, second, third, fourth, fifth, sixth, seventh};

int main(void) {
    a6 += 2;
    printf("%d %d %d\n", a0, a3, &a6 == &a0);
    printf("%d\n", seventh(5));
    for (unsigned i = 0; i < sizeof table / sizeof *table; i++)
        printf("%d %d\n", table[i](i), table[i] == original);
    return 0;
}
