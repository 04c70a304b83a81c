// Structures passed and returned by value, small and large, nested, with floats, arrays in them, compared and copied.
#include <stdio.h>
#include <string.h>

struct Tiny { char a; };
struct Pair { int x, y; };
struct Mixed { float f; int i; double d; };
struct Three { long a, b, c; };
struct Large { int values[20]; char name[12]; };
struct Nested { struct Pair corner[2]; struct Tiny tag; };
struct Floats { float x, y, z; };
struct Odd { char c[7]; };

static struct Tiny tiny(struct Tiny t) { t.a++; return t; }
static struct Pair swap(struct Pair p) { return (struct Pair){p.y, p.x}; }
static struct Mixed mix(struct Mixed m, int k) { m.f *= 2; m.i += k; m.d /= 2; return m; }
static struct Three rotate(struct Three t) { return (struct Three){t.b, t.c, t.a}; }
static struct Large fill(int start) {
    struct Large l;
    for (int i = 0; i < 20; i++)
        l.values[i] = start + i * i;
    strcpy(l.name, "large");
    return l;
}
static int sum(struct Large l) {
    int s = 0;
    for (int i = 0; i < 20; i++)
        s += l.values[i];
    l.values[0] = 1000000;
    return s + l.name[0];
}
static struct Nested nest(struct Nested n) {
    struct Pair p = n.corner[0];
    n.corner[0] = swap(n.corner[1]);
    n.corner[1] = swap(p);
    return n;
}
static struct Floats scale(struct Floats f, float by) { return (struct Floats){f.x * by, f.y * by, f.z * by}; }
static struct Odd odd(struct Odd o) { for (int i = 0; i < 7; i++) o.c[i] = (char)(o.c[i] + i); return o; }

int main(void) {
    struct Tiny t = {'a'};
    printf("%c\n", tiny(tiny(t)).a);
    struct Pair p = swap((struct Pair){1, 2});
    printf("%d %d\n", p.x, p.y);
    struct Mixed m = mix((struct Mixed){1.5f, 2, 3.5}, 10);
    printf("%g %d %g\n", (double)m.f, m.i, m.d);
    struct Three r = rotate(rotate((struct Three){1, 2, 3}));
    printf("%ld %ld %ld\n", r.a, r.b, r.c);
    struct Large l = fill(5), copy = l;
    printf("%d %d %d %s\n", sum(l), sum(copy), copy.values[0], copy.name);
    struct Nested n = nest((struct Nested){{{1, 2}, {3, 4}}, {'n'}});
    printf("%d %d %d %d %c\n", n.corner[0].x, n.corner[0].y, n.corner[1].x, n.corner[1].y, n.tag.a);
    struct Floats f = scale((struct Floats){1, 2, 3}, 1.5f);
    printf("%g %g %g\n", (double)f.x, (double)f.y, (double)f.z);
    struct Odd o = odd((struct Odd){"aaaaaa"});
    printf("%.7s\n", o.c);
    struct Pair (*pointer)(struct Pair) = swap;
    struct Pair array[3] = {{1, 2}, {3, 4}, {5, 6}};
    for (int i = 0; i < 3; i++)
        array[i] = pointer(array[i]);
    printf("%d %zu %zu\n", array[2].x * 100 + array[0].y, sizeof(struct Mixed), sizeof(struct Nested));
    return 0;
}
