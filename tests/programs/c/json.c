// A JSON parser with a tree, escapes, a printer, and errors.
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef enum { NUL, BOOLEAN, NUMBER, STRING, ARRAY, OBJECT } Type;
typedef struct Json { Type type; double number; char *text; char *key; struct Json *child, *next; } Json;

static Json *parse(const char **at);
static void skip(const char **at) { while (isspace((unsigned char)**at)) ++*at; }
static void release(Json *j) {
    while (j) {
        Json *next = j->next;
        release(j->child);
        free(j->text);
        free(j->key);
        free(j);
        j = next;
    }
}
static Json *make(Type type) { Json *j = calloc(1, sizeof *j); j->type = type; return j; }
static char *string(const char **at) {
    size_t capacity = 8, n = 0;
    char *out = malloc(capacity);
    ++*at;
    while (**at && **at != '"') {
        char c = *(*at)++;
        if (c == '\\') {
            c = *(*at)++;
            if (c == 'n') c = '\n';
            else if (c == 't') c = '\t';
            else if (c == 'u') {
                char hex[5] = {0};
                memcpy(hex, *at, 4);
                *at += 4;
                c = (char)strtol(hex, NULL, 16);
            }
        }
        if (n + 2 > capacity) out = realloc(out, capacity *= 2);
        out[n++] = c;
    }
    out[n] = 0;
    if (**at != '"') { free(out); return NULL; }
    ++*at;
    return out;
}
static Json *container(const char **at, char close) {
    Json *j = make(close == ']' ? ARRAY : OBJECT), **link = &j->child;
    ++*at;
    skip(at);
    if (**at == close) { ++*at; return j; }
    for (;;) {
        char *key = NULL;
        skip(at);
        if (close == '}') {
            if (**at != '"' || !(key = string(at))) break;
            skip(at);
            if (*(*at)++ != ':') { free(key); break; }
        }
        Json *item = parse(at);
        if (!item) { free(key); break; }
        item->key = key;
        *link = item;
        link = &item->next;
        skip(at);
        char c = *(*at)++;
        if (c == close) return j;
        if (c != ',') break;
    }
    release(j);
    return NULL;
}
static Json *parse(const char **at) {
    skip(at);
    Json *j = NULL;
    if (**at == '{') return container(at, '}');
    if (**at == '[') return container(at, ']');
    if (**at == '"') {
        char *text = string(at);
        if (text) { j = make(STRING); j->text = text; }
        return j;
    }
    static const char *words[] = {"null", "false", "true"};
    for (int i = 0; i < 3; i++)
        if (strncmp(*at, words[i], strlen(words[i])) == 0) {
            *at += strlen(words[i]);
            j = make(i ? BOOLEAN : NUL);
            j->number = i == 2;
            return j;
        }
    char *end;
    double number = strtod(*at, &end);
    if (end == *at) return NULL;
    *at = end;
    j = make(NUMBER);
    j->number = number;
    return j;
}
static void print(const Json *j) {
    switch (j->type) {
    case NUL: printf("null"); break;
    case BOOLEAN: printf(j->number != 0 ? "true" : "false"); break;
    case NUMBER: printf("%g", j->number); break;
    case STRING: printf("\"%s\"", j->text); break;
    case ARRAY: case OBJECT:
        printf(j->type == ARRAY ? "[" : "{");
        for (Json *c = j->child; c; c = c->next) {
            if (c->key) printf("\"%s\":", c->key);
            print(c);
            if (c->next) printf(",");
        }
        printf(j->type == ARRAY ? "]" : "}");
    }
}
static int depth(const Json *j) {
    int most = 0;
    for (const Json *c = j->child; c; c = c->next) {
        int d = depth(c);
        if (d > most) most = d;
    }
    return most + 1;
}

int main(void) {
    const char *texts[] = {
        "{\"name\": \"test\", \"list\": [1, 2.5, -3e2, true, false, null], \"nested\": {\"a\": {\"b\": []}}}",
        "  [ \"esc\\\"aped\\u0041\\n\" , {} ]  ", "[1, 2", "{\"a\" 1}", "\"open", "", "[[[[[[]]]]]]", "{\"k\":[{\"x\":1},{\"y\":[2]}]}"};
    for (unsigned i = 0; i < sizeof texts / sizeof *texts; i++) {
        const char *at = texts[i];
        Json *j = parse(&at);
        if (j) { print(j); printf(" depth %d\n", depth(j)); }
        else printf("error at %d\n", (int)(at - texts[i]));
        release(j);
    }
    return 0;
}
