// Variable length arrays, alloca, compound literals, designated initialisers, flexible sizes of types.
#include <alloca.h>
#include <stdio.h>
#include <string.h>

static int sum(int n, int m, int grid[n][m]) {
    int s = 0;
    for (int i = 0; i < n; i++)
        for (int j = 0; j < m; j++)
            s += grid[i][j];
    return s;
}
static int table(int n) {
    int grid[n][n + 1];
    for (int i = 0; i < n; i++)
        for (int j = 0; j <= n; j++)
            grid[i][j] = i * j;
    printf("%zu ", sizeof grid / sizeof(int));
    return sum(n, n + 1, grid);
}
struct Options { int width, height; const char *title; double ratio; };
static void show(const struct Options *o) { printf("%dx%d %s %g\n", o->width, o->height, o->title ? o->title : "-", o->ratio); }
static int *largest(int *v, int n) { int *best = v; for (int i = 1; i < n; i++) if (v[i] > *best) best = v + i; return best; }

int main(void) {
    for (int n = 1; n < 6; n++)
        printf("%d\n", table(n));
    int total = 0;
    for (int i = 1; i <= 10; i++) {
        char buffer[i];
        memset(buffer, i, sizeof buffer);
        total += buffer[i - 1] * (int)sizeof buffer;
    }
    char *text = alloca(20);
    strcpy(text, "on the stack");
    printf("%d %s\n", total, text);
    show(&(struct Options){.title = "literal", .width = 3});
    show(&(struct Options){1, 2, .ratio = 0.5});
    printf("%d\n", *largest((int[]){3, 9, 2, 7}, 4));
    int sparse[10] = {[9] = 1, [2] = 5, 6, 7, [0] = -1};
    for (int i = 0; i < 10; i++)
        printf("%d ", sparse[i]);
    printf("%s %c\n", (char[]){'a', 'b', 0}, "string"[2]);
    return 0;
}
