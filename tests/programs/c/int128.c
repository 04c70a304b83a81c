// 128-bit integers: arithmetic, division, shifts, printing by hand.
#include <stdint.h>
#include <stdio.h>

typedef __int128 i128;
typedef unsigned __int128 u128;

static void print(u128 v) {
    char buffer[50];
    int i = 49;
    buffer[i] = 0;
    do
        buffer[--i] = (char)('0' + (int)(v % 10));
    while (v /= 10);
    printf("%s\n", buffer + i);
}

static void print_signed(i128 v) {
    if (v < 0) {
        printf("-");
        print((u128)0 - (u128)v);
    } else {
        print((u128)v);
    }
}

int main(void) {
    u128 factorial = 1;
    for (unsigned i = 1; i <= 34; i++)
        factorial *= i;
    print(factorial);
    print(factorial / 1000000007u);
    print(factorial % 0xffffffffffffffc5u);
    print(~(u128)0);
    print((u128)1 << 127);
    print(~(u128)0 >> 65);
    i128 low = -((i128)1 << 126);
    print_signed(low);
    print_signed(low / 12345678901234567LL);
    print_signed(low % 12345678901234567LL);
    print_signed(low >> 70);
    u128 product = (u128)0xfedcba9876543210u * 0x0123456789abcdefu;
    printf("%016llx %016llx\n", (unsigned long long)(product >> 64), (unsigned long long)product);
    uint64_t a = 1, b = 1;
    u128 x = 0, y = 1;
    for (int i = 0; i < 150; i++) {
        u128 z = x + y;
        x = y;
        y = z;
        a = b ^ (uint64_t)z;
        b += (uint64_t)(z >> 64) * a;
    }
    print(x);
    printf("%llu %d %d\n", (unsigned long long)b, x < y, (i128)-1 < (i128)0);
    printf("%.6f\n", (double)factorial / 1e30);
    print((u128)1.5e30);
    return 0;
}
