// Bit-fields: signed, unsigned, across units, of width zero, in unions.
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

struct Flags {
    unsigned a : 1;
    unsigned b : 3;
    int c : 5;
    unsigned : 0;
    unsigned d : 31;
    bool e : 1;
    long long f : 40;
    unsigned long long g : 63;
};

union Instruction {
    struct {
        uint32_t opcode : 7, rd : 5, funct3 : 3, rs1 : 5, rs2 : 5, funct7 : 7;
    } r;
    uint32_t word;
};

struct Small {
    signed char x : 4, y : 4;
};

int main(void) {
    struct Flags f = {0};
    for (int i = 0; i < 20; i++) {
        f.a = (unsigned)i;
        f.b = (unsigned)i * 3;
        f.c = (i * 7) % 31 - 15;
        f.d = (unsigned)i * 123456789u;
        f.e = i & 2;
        f.f = (long long)i * -1234567890123LL % 500000000000LL;
        f.g = (unsigned long long)i * 0x123456789abcdefULL;
        printf("%u %u %d %u %d %lld %llu\n", f.a, f.b, f.c, f.d, f.e, (long long)f.f, (unsigned long long)f.g);
    }
    f.b = 7;
    f.b++;
    f.c = -16;
    f.c ^= 5;
    f.g -= 1;
    printf("%u %d %llu %zu\n", f.b, f.c, (unsigned long long)f.g, sizeof f);
    union Instruction add = {.r = {0x33, 1, 0, 2, 3, 0x20}};
    printf("%08x\n", add.word);
    add.word = 0x00c58533;
    printf("%u %u %u %u %u %u\n", add.r.opcode, add.r.rd, add.r.funct3, add.r.rs1, add.r.rs2, add.r.funct7);
    struct Small small[3] = {{1, -1}, {-8, 7}, {0, 3}};
    int sum = 0;
    for (int i = 0; i < 3; i++)
        sum = sum * 100 + small[i].x * 10 + small[i].y;
    printf("%d %zu\n", sum, sizeof small);
    return 0;
}
