// inputs: x=0..7 y=0..7
// paths: 9
// Structures passed and returned by value: small ones in registers, large ones in memory. The callee has a copy.
#include <klee/klee.h>

struct pair {
    int x, y;
};

struct large {
    long before[4];
    struct pair pair;
    char name[6];
};

static struct pair swapped(struct pair p) {
    if (p.x > p.y) {
        int kept = p.x;
        p.x = p.y;
        p.y = kept;
    }
    return p;
}

static struct large changed(struct large l, int by) {
    l.pair.x += by;
    l.before[by & 3] = l.pair.x;
    return l;
}

int main(void) {
    struct pair p = {klee_range(0, 8, "x"), klee_range(0, 8, "y")};
    struct pair q = swapped(p);
    if (q.x > q.y) return 1; /* never */
    struct large l = {{1, 2, 3, 4}, q, "large"};
    struct large m = changed(l, q.y - q.x);
    if (l.pair.x != q.x || l.before[0] != 1) return 2; /* never */
    if (m.pair.x != q.y) return 3; /* never */
    if (m.before[2] == 6) return 4;
    if (m.name[4] != 'e') return 5; /* never */
    if (q.x == q.y) return 6;
    if (m.before[1] != 2) return 7;
    if (m.before[3] == q.y) return 8;
    return 9;
}
