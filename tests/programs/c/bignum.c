// Big numbers in arrays: factorials, Fibonacci numbers, powers, division by small numbers, digits of e.
#include <stdint.h>
#include <stdio.h>
#include <string.h>

enum { LIMBS = 40 };
typedef struct { uint32_t limb[LIMBS]; int used; } Big;

static Big of(uint32_t v) { Big b = {{v}, v != 0}; return b; }
static Big mul_small(Big b, uint32_t by) {
    uint64_t carry = 0;
    for (int i = 0; i < b.used; i++) {
        carry += (uint64_t)b.limb[i] * by;
        b.limb[i] = (uint32_t)carry;
        carry >>= 32;
    }
    if (carry) b.limb[b.used++] = (uint32_t)carry;
    return b;
}
static Big add(Big a, Big b) {
    uint64_t carry = 0;
    int n = a.used > b.used ? a.used : b.used;
    for (int i = 0; i < n || carry; i++) {
        carry += (uint64_t)a.limb[i] + b.limb[i];
        a.limb[i] = (uint32_t)carry;
        carry >>= 32;
        a.used = i + 1 > n ? i + 1 : n;
    }
    return a;
}
static Big mul(Big a, Big b) {
    Big out = {{0}, 0};
    for (int i = 0; i < a.used; i++) {
        uint64_t carry = 0;
        for (int j = 0; j < b.used || carry; j++) {
            carry += out.limb[i + j] + (uint64_t)a.limb[i] * (j < b.used ? b.limb[j] : 0);
            out.limb[i + j] = (uint32_t)carry;
            carry >>= 32;
            if (i + j + 1 > out.used) out.used = i + j + 1;
        }
    }
    return out;
}
static uint32_t div_small(Big *b, uint32_t by) {
    uint64_t rest = 0;
    for (int i = b->used - 1; i >= 0; i--) {
        rest = rest << 32 | b->limb[i];
        b->limb[i] = (uint32_t)(rest / by);
        rest %= by;
    }
    while (b->used && !b->limb[b->used - 1]) b->used--;
    return (uint32_t)rest;
}
static void print(Big b) {
    char digits[400];
    int n = 0;
    do digits[n++] = (char)('0' + div_small(&b, 10)); while (b.used);
    while (n) putchar(digits[--n]);
    putchar('\n');
}

int main(void) {
    Big f = of(1);
    for (uint32_t i = 2; i <= 60; i++) f = mul_small(f, i);
    print(f);
    Big a = of(0), b = of(1);
    for (int i = 0; i < 300; i++) { Big c = add(a, b); a = b; b = c; }
    print(a);
    Big p = of(3);
    for (int i = 0; i < 8; i++) p = mul(p, p);
    print(p);
    Big rest = f;
    printf("%u", div_small(&rest, 1000000007));
    printf(" %u\n", div_small(&rest, 4294967291u));
    int digits[40], e[40];
    for (int i = 0; i < 40; i++) e[i] = 1;
    for (int d = 0; d < 40; d++) {
        int carry = 0;
        for (int i = 39; i >= 0; i--) {
            int x = e[i] * 10 + carry;
            e[i] = x % (i + 2);
            carry = x / (i + 2);
        }
        digits[d] = carry;
    }
    printf("2.");
    for (int d = 0; d < 38; d++) printf("%d", digits[d]);
    printf("\n");
    return 0;
}
