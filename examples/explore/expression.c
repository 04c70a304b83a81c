// A calculator: characters to tokens, tokens to a value, by recursive descent.
//
// There are as many paths as there are shapes of expressions, and their number grows with every byte of input (SIZE).
// The values are symbolic, too: look at the error where the divisor is an expression that happens to be zero, such as
// 8/(3-3), and at the one where a calculated value is an index that passes a check of its square.
#include <klee/klee.h>

#ifndef SIZE
#define SIZE 6
#endif

static char text[SIZE + 1];
static const char *at;
static int failed;
static int cells[8];

static int sum(unsigned depth);

static void skip(void) {
    while (*at == ' ')
        at++;
}

static int factor(unsigned depth) {
    skip();
    if (*at == '-') {
        at++;
        return -factor(depth);
    }
    if (*at == '(' && depth < 3) {
        at++;
        int value = sum(depth + 1);
        skip();
        if (*at != ')')
            failed = 1;
        else
            at++;
        return value;
    }
    if (*at == '[' && depth < 3) { // a cell
        at++;
        int index = sum(depth + 1);
        skip();
        if (*at != ']' || index * index > 64) { // BUG: so may be 8, and less than 0
            failed = 1;
            return 0;
        }
        at++;
        return cells[index];
    }
    if (*at < '0' || *at > '9') {
        failed = 1;
        return 0;
    }
    int value = 0;
    while (*at >= '0' && *at <= '9')
        value = value * 10 + (*at++ - '0');
    return value;
}

static int product(unsigned depth) {
    int value = factor(depth);
    for (skip(); !failed && (*at == '*' || *at == '/'); skip()) {
        char operation = *at++;
        int right = factor(depth);
        if (failed)
            break;
        value = operation == '*' ? value * right : value / right; // BUG: by zero
    }
    return value;
}

static int sum(unsigned depth) {
    int value = product(depth);
    while (!failed && (*at == '+' || *at == '-')) {
        char operation = *at++;
        int right = product(depth);
        value = operation == '+' ? value + right : value - right;
    }
    return value;
}

int main(void) {
    char input[SIZE];
    klee_make_symbolic(input, sizeof input, "text");
    for (unsigned i = 0; i < SIZE; i++)
        text[i] = input[i];
    at = text;
    int value = sum(0);
    if (failed || *at != '\0')
        return 1;
    return value == 42 ? 0 : 2;
}
