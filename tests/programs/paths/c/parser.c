// inputs: s[4]='1','+','(',')',0
// paths: 31
// Sums with parentheses, by recursive descent.
#include <klee/klee.h>

static const char *at;
static int failed;

static int sum(void);

static int term(void) {
    if (*at == '1') {
        at++;
        return 1;
    }
    if (*at == '(') {
        at++;
        int value = sum();
        if (*at != ')') {
            failed = 1;
            return 0;
        }
        at++;
        return value;
    }
    failed = 1;
    return 0;
}

static int sum(void) {
    int value = term();
    while (!failed && *at == '+') {
        at++;
        value += term();
    }
    return value;
}

int main(void) {
    char s[5] = {0};
    klee_make_symbolic(s, 4, "s");
    for (int i = 0; i < 4; i++)
        klee_assume((s[i] == '1') | (s[i] == '+') | (s[i] == '(') | (s[i] == ')') | (s[i] == 0));
    at = s;
    int value = sum();
    if (failed) return 10;
    if (*at) return 11;
    return value;
}
