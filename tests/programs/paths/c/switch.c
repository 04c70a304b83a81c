// inputs: c=0..255 d=0..3
// paths: 10
// Cases that share code, fall through, lie far apart; one path a target, however many values lead there.
// Five kinds that end at once, and five ways to go on with the sixth.
#include <klee/klee.h>

static int kind(unsigned char c) {
    int weight = 0;
    switch (c) {
    case 'a':
    case 'e':
    case 'i':
    case 'o':
    case 'u': return 1;
    case '0' ... '9': return 2;
    case ' ':
    case '\n':
    case '\t': weight += 2; /* falls through */
    case 0: weight += 1; break;
    case 255: return 7;
    default: return 3;
    }
    return weight + 3;
}

int main(void) {
    unsigned char c, d;
    klee_make_symbolic(&c, 1, "c");
    klee_make_symbolic(&d, 1, "d");
    klee_assume(d < 4);
    int k = kind(c);
    if (k != 3) return k;
    switch (d) {
    case 0: return 20;
    case 1: {
        switch (c & 1) {
        case 0: return 21;
        default: return 22;
        }
    }
    case 2: return 23;
    }
    return 24;
}
