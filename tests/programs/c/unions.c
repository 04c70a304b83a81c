// Unions: punning, tagged values, anonymous members.
#include <stdint.h>
#include <stdio.h>
#include <string.h>

typedef union { float f; uint32_t u; unsigned char bytes[4]; } Word;
typedef struct {
    enum { INT, REAL, TEXT } kind;
    union { long i; double r; char text[16]; };
} Value;

static void show(const Value *v) {
    switch (v->kind) {
    case INT: printf("int %ld\n", v->i); break;
    case REAL: printf("real %g\n", v->r); break;
    case TEXT: printf("text %s\n", v->text); break;
    }
}

int main(void) {
    Word w = {.f = 1.0f};
    printf("%08x %d %d %d %d\n", w.u, w.bytes[0], w.bytes[1], w.bytes[2], w.bytes[3]);
    w.u ^= 0x80000000u;
    printf("%g\n", (double)w.f);
    w.bytes[3] = 0x42;
    w.bytes[2] = 0x28;
    printf("%g\n", (double)w.f);
    Value values[3];
    values[0].kind = INT;
    values[0].i = -12;
    values[1].kind = REAL;
    values[1].r = 2.5;
    values[2].kind = TEXT;
    strcpy(values[2].text, "tagged");
    for (int i = 0; i < 3; i++)
        show(&values[i]);
    Value copy = values[2];
    values[2].text[0] = 'T';
    show(&copy);
    show(&values[2]);
    union { uint64_t whole; struct { uint32_t low, high; } half; uint16_t quarter[4]; } x = {.whole = 0x0123456789abcdefu};
    printf("%x %x %x %x\n", x.half.low, x.half.high, x.quarter[1], x.quarter[3]);
    return 0;
}
