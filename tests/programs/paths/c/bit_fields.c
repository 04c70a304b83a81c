// inputs: a=0..15 b=-4..3 c=0..1
// paths: 8
// Fields of a few bits: they wrap around, keep their signs and leave their neighbours alone.
#include <klee/klee.h>

struct packed {
    unsigned a : 4;
    signed b : 3;
    unsigned : 2;
    unsigned c : 1;
    unsigned long wide : 40;
};

int main(void) {
    int a = klee_range(0, 16, "a"), b = klee_range(-4, 4, "b"), c = klee_range(0, 2, "c");
    struct packed p = {.a = (unsigned)a, .b = b, .c = (unsigned)c, .wide = 1ul << 39};
    p.a += 3;
    if (p.b != b || p.c != (unsigned)c) return 1; /* never */
    if (p.a < 3) {
        if (p.b < 0) return 2;
        return 3;
    }
    p.b -= 1;
    if (p.b == 3) return 4; /* -4 was there */
    p.c = ~p.c;
    p.wide += p.a;
    if (p.wide >> 39 != 1) return 5; /* never */
    if (p.c) {
        if ((p.wide & 15) == 10) return 6;
        return 7;
    }
    if (p.b + (int)p.a == 6) return 8;
    if (p.a > 10) return 9;
    return 10;
}
