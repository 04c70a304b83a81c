// Control flow: goto, switch with fallthrough and ranges, Duff's device, computed goto, nested loops, comma, ternaries.
#include <stdio.h>

static void duff(char *to, const char *from, int count) {
    int n = (count + 7) / 8;
    switch (count % 8) {
    case 0: do { *to++ = *from++; /* fall through */
    case 7: *to++ = *from++; /* fall through */
    case 6: *to++ = *from++; /* fall through */
    case 5: *to++ = *from++; /* fall through */
    case 4: *to++ = *from++; /* fall through */
    case 3: *to++ = *from++; /* fall through */
    case 2: *to++ = *from++; /* fall through */
    case 1: *to++ = *from++;
            } while (--n > 0);
    }
}
static int classify(int c) {
    switch (c) {
    case '0' ... '9': return 1;
    case 'a' ... 'z':
    case 'A' ... 'Z': return 2;
    case ' ': case '\t': return 3;
    case -5: return 4;
    case 1000000: return 5;
    default: return 0;
    }
}
static int interpret(const unsigned char *code) {
    static void *table[] = {&&push, &&add, &&mul, &&dup, &&jump_if_small, &&halt};
    int stack[16], top = 0;
#define NEXT goto *table[*code++]
    NEXT;
push: stack[top++] = *code++; NEXT;
add: top--; stack[top - 1] += stack[top]; NEXT;
mul: top--; stack[top - 1] *= stack[top]; NEXT;
dup: stack[top] = stack[top - 1]; top++; NEXT;
jump_if_small: { int back = *code++; if (stack[top - 1] < 1000) code -= back; NEXT; }
halt: return stack[top - 1];
}
static int find(int target) {
    int i, j;
    for (i = 1; i < 50; i++)
        for (j = i; j < 50; j++)
            if (i * i + j * j == target)
                goto found;
    return -1;
found:
    return i * 100 + j;
}
static unsigned long long wide(unsigned long long x) {
    switch (x) {
    case 0x100000000ULL: return 1;
    case 0xffffffffffffffffULL: return 2;
    case 0: return 3;
    }
    return 4;
}

int main(void) {
    char text[32] = {0};
    duff(text, "twenty-one characters", 21);
    printf("%s\n", text);
    for (int c = 0, i = 0; i < 8; i++) {
        c = "a9 Z\t!~Q"[i];
        printf("%d", classify(c));
    }
    printf("%d%d%d\n", classify(-5), classify(1000000), classify(999999));
    const unsigned char program[] = {0, 3, 0, 2, 2, 0, 1, 1, 4, 8, 3, 1, 5};
    printf("%d\n", interpret(program));
    printf("%d %d %d\n", find(25), find(1105), find(3));
    printf("%llu %llu %llu %llu\n", wide(1ULL << 32), wide(~0ULL), wide(0), wide(5));
    int a = 0, b = (a++, a += 5, a * 2), n = 0;
    do {
        if (n == 3) continue;
        if (n > 7) break;
        b += n % 2 ? n : -n;
    } while (++n < 100);
    printf("%d %d %d %s\n", a, b, n, a > b ? "gt" : a == b ? "eq" : "lt");
    return 0;
}
