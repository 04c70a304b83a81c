// CRC-32 by table over a buffer that a small generator fills.
#include <stdint.h>
#include <stdio.h>

static uint32_t table[256];
static uint8_t buffer[1 << 16];

static uint32_t crc(const uint8_t *bytes, uint32_t length) {
    uint32_t value = ~0u;
    for (uint32_t i = 0; i < length; i++)
        value = table[(value ^ bytes[i]) & 0xff] ^ (value >> 8);
    return ~value;
}

int main(void) {
    for (uint32_t i = 0; i < 256; i++) {
        uint32_t value = i;
        for (int bit = 0; bit < 8; bit++)
            value = value & 1 ? 0xedb88320u ^ (value >> 1) : value >> 1;
        table[i] = value;
    }
    uint32_t seed = 1, sum = 0;
    for (uint32_t i = 0; i < sizeof buffer; i++) {
        seed = seed * 1664525u + 1013904223u;
        buffer[i] = seed >> 24;
    }
    for (int round = 0; round < ROUNDS; round++) {
        buffer[round & 0xffff] ^= round;
        sum ^= crc(buffer, sizeof buffer);
    }
    printf("%08x\n", sum);
    return 0;
}
