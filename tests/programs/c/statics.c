// Static locals, initialised globals with addresses in them, tentative definitions, volatile, const, extern.
#include <stdio.h>

int tentative;
int tentative;
extern int defined_below;
static int array[5] = {[3] = 7, [1] = 2};
static int *const pointers[] = {&array[3], array, &tentative};
static const char *names[] = {"zero", "one", "two"};
static const char matrix[2][3][4] = {{"ab", "cd", "ef"}, {"gh", "ij", "kl"}};
static struct { int id; const char **name; int *where; } records[] = {{1, &names[1], &array[1]}, {2, names + 2, array + 4}};
int defined_below = 99;
volatile int sensor = 3;

static int counter(void) {
    static int calls = 10;
    static int *last;
    if (last)
        *last += 1;
    last = &calls;
    return calls++;
}
static int recursive(int n) {
    static int deepest;
    if (n > deepest)
        deepest = n;
    return n == 0 ? deepest : recursive(n - 1);
}

int main(void) {
    printf("%d %d %d\n", counter(), 0, 0);
    int a = counter(), b = counter();
    printf("%d %d\n", a, b);
    printf("%d", recursive(5));
    printf(" %d\n", recursive(3));
    *pointers[2] = 5;
    printf("%d %d %d %d\n", tentative, *pointers[0], pointers[1][1], defined_below);
    for (int i = 0; i < 2; i++)
        printf("%d %s %d ", records[i].id, *records[i].name, *records[i].where);
    printf("%s %s %c\n", matrix[0][2], matrix[1][1], matrix[1][2][1]);
    int sum = 0;
    for (int i = 0; i < 4; i++) {
        sum += sensor;
        sensor = sensor * 2;
    }
    volatile int *p = &sensor;
    *p += 1;
    printf("%d %d\n", sum, sensor);
    static int table[3][3] = {{1, 2, 3}, {4, 5, 6}, {7, 8, 9}};
    int (*row)[3] = table;
    printf("%d %d %d\n", row[1][2], (*(row + 2))[0], *(*(table + 1) + 1));
    return 0;
}
