// inputs: bytes[2]=0..63
// paths: 8
// Structures, bit fields and unions over the same bytes; passed and returned by value.
#include <klee/klee.h>

struct flags {
    unsigned low : 3;
    signed middle : 2;
    unsigned high : 3;
};

union word {
    unsigned char bytes[2];
    unsigned short whole;
    struct flags flags;
};

struct pair {
    struct flags first;
    int second[2];
};

static struct pair turned(struct pair pair) {
    int kept = pair.second[0];
    pair.second[0] = pair.second[1];
    pair.second[1] = kept;
    pair.first.low ^= 7;
    return pair;
}

int main(void) {
    union word word = {0};
    unsigned char bytes[2];
    klee_make_symbolic(bytes, 2, "bytes");
    klee_assume((bytes[0] < 64) & (bytes[1] < 64));
    word.bytes[0] = bytes[0];
    word.bytes[1] = bytes[1];
    struct pair pair = {word.flags, {word.bytes[0], word.bytes[1]}};
    pair = turned(pair);
    if (pair.second[0] != bytes[1]) return 9; /* never */
    if (pair.first.low == 7) {
        if (pair.first.middle < 0) return 1;
        return 2;
    }
    if (word.whole > 0x2000) {
        word.flags.high = 0;
        if (word.flags.high != 0) return 9; /* never */
        if (word.bytes[0] < 16) return 3;
        return 4;
    }
    switch (pair.first.middle) {
    case -2: return 5;
    case -1: return 6;
    case 0: return 7;
    default: return 8;
    }
}
