// setjmp and longjmp: out of nested calls, several times, with values, as error handling.
#include <setjmp.h>
#include <stdio.h>

static jmp_buf handler;
static int depth;

static void dive(int n) {
    depth++;
    if (n == 0)
        longjmp(handler, depth);
    dive(n - 1);
}
static int parse(const char *text) {
    int value = 0;
    for (; *text; text++) {
        if (*text < '0' || *text > '9')
            longjmp(handler, 100 + *text);
        value = value * 10 + (*text - '0');
    }
    return value;
}

int main(void) {
    volatile int round = 0;
    int got = setjmp(handler);
    if (got)
        printf("back with %d after round %d\n", got, round);
    if (round < 4) {
        round++;
        depth = 0;
        dive(round * 2);
    }
    const char *inputs[] = {"123", "12x", "7", "-1"};
    for (volatile int i = 0; i < 4; i++) {
        int code = setjmp(handler);
        if (code == 0)
            printf("%d\n", parse(inputs[i]));
        else
            printf("bad character %c\n", code - 100);
    }
    jmp_buf local;
    volatile int count = 0;
    if (setjmp(local) < 3) {
        count++;
        longjmp(local, count);
    }
    printf("%d\n", count);
    return 0;
}
