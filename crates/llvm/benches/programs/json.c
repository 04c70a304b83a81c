// A JSON text is built, then parsed again and again by recursive descent.
#include <stdint.h>
#include <stdio.h>
#include <string.h>

static char text[1 << 16];
static const char *at;
static uint64_t numbers, strings, depth, deepest;

static void space(void) {
    while (*at == ' ' || *at == '\n' || *at == '\t') at++;
}

static int value(void);

static int string(void) {
    if (*at != '"') return 0;
    at++;
    while (*at && *at != '"') {
        if (*at == '\\') at++;
        strings = strings * 33 + (uint8_t)*at;
        at++;
    }
    if (*at != '"') return 0;
    at++;
    return 1;
}

static int number(void) {
    int negative = 0;
    uint64_t n = 0;
    if (*at == '-') {
        negative = 1;
        at++;
    }
    if (*at < '0' || *at > '9') return 0;
    while (*at >= '0' && *at <= '9') n = n * 10 + (*at++ - '0');
    numbers += negative ? -n : n;
    return 1;
}

static int members(char close, int keyed) {
    at++;
    if (++depth > deepest) deepest = depth;
    space();
    if (*at != close)
        for (;;) {
            space();
            if (keyed) {
                if (!string()) return 0;
                space();
                if (*at++ != ':') return 0;
            }
            if (!value()) return 0;
            space();
            if (*at == close) break;
            if (*at++ != ',') return 0;
        }
    at++;
    depth--;
    return 1;
}

static int value(void) {
    space();
    switch (*at) {
    case '{': return members('}', 1);
    case '[': return members(']', 0);
    case '"': return string();
    case 't': at += 4; return 1;
    case 'f': at += 5; return 1;
    case 'n': at += 4; return 1;
    default: return number();
    }
}

static char *put(char *to, const char *from) {
    size_t length = strlen(from);
    memcpy(to, from, length);
    return to + length;
}

int main(void) {
    char *to = put(text, "[");
    for (int i = 0; i < 400; i++) {
        char digits[8] = { '0' + i / 100 % 10, '0' + i / 10 % 10, '0' + i % 10, 0 };
        if (i) to = put(to, ", ");
        to = put(to, "{\"id\": ");
        to = put(to, digits + (i < 100) + (i < 10));
        to = put(to, ", \"name\": \"item \\\"");
        to = put(to, digits);
        to = put(to, "\\\"\", \"tags\": [true, false, null, -17, [1, 2, {\"deep\": []}]]}");
    }
    put(to, "]");
    for (int round = 0; round < ROUNDS; round++) {
        at = text;
        if (!value()) return 1;
    }
    printf("%llu %llu %llu\n", (unsigned long long)numbers, (unsigned long long)strings, (unsigned long long)deepest);
    return 0;
}
