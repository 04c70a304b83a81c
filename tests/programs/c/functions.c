// Function pointers: tables, callbacks, returned from functions, in structures, compared.
#include <stdio.h>

typedef int (*Binary)(int, int);
static int add(int a, int b) { return a + b; }
static int sub(int a, int b) { return a - b; }
static int mul(int a, int b) { return a * b; }

static Binary choose(char op) { return op == '+' ? add : op == '-' ? sub : op == '*' ? mul : NULL; }
static int fold(Binary f, const int *values, int count, int start) {
    for (int i = 0; i < count; i++)
        start = f(start, values[i]);
    return start;
}

struct Shape {
    const char *name;
    double (*area)(const struct Shape *);
    double a, b;
};
static double rectangle(const struct Shape *s) { return s->a * s->b; }
static double triangle(const struct Shape *s) { return s->a * s->b / 2; }

static void each(int n, void (*visit)(int, void *), void *context) {
    for (int i = 0; i < n; i++)
        visit(i, context);
}
static void accumulate(int i, void *context) { *(long *)context += (long)i * i; }

static int even(int n);
static int odd(int n) { return n == 0 ? 0 : even(n - 1); }
static int even(int n) { return n == 0 ? 1 : odd(n - 1); }

int main(void) {
    Binary table[] = {add, sub, mul};
    int values[] = {1, 2, 3, 4, 5};
    for (int i = 0; i < 3; i++)
        printf("%d ", fold(table[i], values, 5, 1));
    printf("%d %d %d\n", choose('*')(6, 7), choose('?') == NULL, choose('+') == add);
    struct Shape shapes[] = {{"rectangle", rectangle, 3, 4}, {"triangle", triangle, 3, 4}};
    for (int i = 0; i < 2; i++)
        printf("%s %g\n", shapes[i].name, shapes[i].area(&shapes[i]));
    long total = 0;
    each(10, accumulate, &total);
    printf("%ld %d %d\n", total, even(10), (*odd)(7));
    int (*(*get)(char))(int, int) = choose;
    printf("%d\n", get('-')(10, 4));
    return 0;
}
