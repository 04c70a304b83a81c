// inputs: tag=0..3 v=0,1,255,256,65535,65536,-1,-256
// paths: 12
// One memory by several names: numbers of different widths, bytes, and what another member has left there.
#include <klee/klee.h>
#include <stdint.h>

union word {
    int32_t whole;
    uint16_t halves[2];
    uint8_t bytes[4];
};

struct tagged {
    int tag;
    union {
        union word word;
        struct {
            uint8_t low;
            int8_t rest[3];
        };
    };
};

int main(void) {
    struct tagged t;
    t.tag = klee_range(0, 4, "tag");
    int v = klee_int("v");
    klee_assume((v == 0) | (v == 1) | (v == 255) | (v == 256) | (v == 65535) | (v == 65536) | (v == -1) | (v == -256));
    t.word.whole = v;
    switch (t.tag) {
    case 0:
        if (t.low != (uint8_t)v) return 1; /* never */
        if (t.word.halves[1] == 0xffff) return 2;
        return 3;
    case 1:
        if (t.rest[0] == -1) {
            if (t.rest[2] < 0) return 4;
            return 5;
        }
        if (t.word.bytes[2]) return 6;
        return 7;
    case 2:
        t.word.halves[0] = 0x100;
        if (t.word.bytes[1] != 1) return 8; /* never */
        if (t.word.whole < 0) return 9;
        if (t.word.whole > 256) return 10;
        return 11;
    }
    t.low = 7;
    if (t.word.whole == 263) return 12;
    if ((t.word.whole & 255) == 7 && t.word.whole < 7) return 13;
    return 14;
}
