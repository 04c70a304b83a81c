// A tokenizer and an evaluator of expressions with variables, precedence and errors.
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *at;
static const char *error;
static double variables[26];

static double expression(void);
static void space(void) { while (isspace((unsigned char)*at)) at++; }
static int accept(char c) { space(); if (*at != c) return 0; at++; return 1; }
static double primary(void) {
    space();
    if (accept('(')) {
        double v = expression();
        if (!accept(')') && !error) error = "expected )";
        return v;
    }
    if (accept('-')) return -primary();
    if (isdigit((unsigned char)*at) || *at == '.') {
        char *end;
        double v = strtod(at, &end);
        at = end;
        return v;
    }
    if (islower((unsigned char)*at)) return variables[*at++ - 'a'];
    if (!error) error = "expected a value";
    return 0;
}
static double power(void) {
    double base = primary();
    if (!accept('^')) return base;
    double exponent = power(), result = 1;
    for (int i = 0; i < (int)exponent; i++) result *= base;
    return result;
}
static double term(void) {
    double v = power();
    for (;;) {
        if (accept('*')) v *= power();
        else if (accept('/')) { double d = power(); if (d == 0) { if (!error) error = "division by zero"; } else v /= d; }
        else return v;
    }
}
static double expression(void) {
    double v = term();
    for (;;) {
        if (accept('+')) v += term();
        else if (accept('-')) v -= term();
        else return v;
    }
}
static void statement(const char *line) {
    at = line;
    error = NULL;
    int target = -1;
    space();
    if (islower((unsigned char)at[0]) && strchr(at, '=')) {
        target = *at++ - 'a';
        if (!accept('=')) error = "expected =";
    }
    double v = expression();
    space();
    if (!error && *at) error = "trailing characters";
    if (error) { printf("%s => error: %s\n", line, error); return; }
    if (target >= 0) variables[target] = v;
    printf("%s => %.10g\n", line, v);
}

int main(void) {
    const char *lines[] = {"1 + 2 * 3", "(1 + 2) * 3", "2 ^ 3 ^ 2", "-2 ^ 2", "x = 10 / 4", "y = x * x - 0.25", "x + y",
                           "1 / 0", "(1 + 2", "3 + * 4", "7 7", "z", "((((1))))", ".5 + 1e2", "10 - 4 - 3"};
    for (unsigned i = 0; i < sizeof lines / sizeof *lines; i++)
        statement(lines[i]);
    return 0;
}
