// A packet of a made-up protocol: a header with a checksum over it, options, then values within values.
//
// Everything of interest is behind the header's checksum, a sum of 16-bit words that ties all its bytes together:
// guessing does not get there, and neither does changing one byte at a time. Look for the two planted bugs: an option
// whose length is not checked against the header, and a reply whose room is calculated from two lengths but used with
// their product.
#include <klee/klee.h>
#include <stdint.h>

#ifndef SIZE
#define SIZE 20
#endif

enum { FIXED = 8, MOST = 4, DEEPEST = 2 };

static uint16_t word(const uint8_t *at) { return (uint16_t)(at[0] << 8 | at[1]); }

// The sum of all words with the carries added back, as the Internet's protocols have it.
static uint16_t sum(const uint8_t *at, unsigned size) {
    uint32_t all = 0;
    for (unsigned i = 0; i < size; i += 2)
        all += word(at + i);
    all = (all & 0xffff) + (all >> 16);
    all = (all & 0xffff) + (all >> 16);
    return (uint16_t)all;
}

struct state {
    unsigned window;
    unsigned names;
    uint8_t reply[16];
};

static int options(struct state *state, const uint8_t *from, unsigned size) {
    uint8_t copy[MOST];
    for (unsigned i = 0; i < size; i++)
        copy[i] = from[i];
    const uint8_t *at = copy, *end = copy + size;
    while (at < end) {
        if (at[0] == 0) // the end
            return 1;
        if (at[0] == 1) { // nothing
            at++;
            continue;
        }
        if (end - at < 2 || at[1] < 2)
            return 0;
        if (at[0] == 3 && at[1] == 3) // BUG: there may be no third byte
            state->window = 1u << (at[2] & 15);
        at += at[1];
    }
    return at == end;
}

static int values(struct state *state, const uint8_t *at, unsigned size, unsigned depth) {
    while (size >= 2) {
        unsigned type = at[0], length = at[1];
        if (length > size - 2)
            return 0;
        const uint8_t *value = at + 2;
        if (type == 0x30) { // a sequence
            if (depth == DEEPEST || !values(state, value, length, depth + 1))
                return 0;
        } else if (type == 2 && length == 2) { // two numbers: how much is to be sent back
            unsigned room = value[0] + value[1];
            unsigned used = value[0] * value[1];
            if (room > sizeof state->reply || value[0] < 3)
                return 0;
            if (used > 54 && state->window == 64) // BUG: room is enough for the sum only
                state->reply[used] = 1;
        } else if (type == 4) { // a name
            state->names++;
        } else {
            return 0;
        }
        at += 2 + length;
        size -= 2 + length;
    }
    return size == 0;
}

static int packet(const uint8_t *at) {
    struct state state = {0};
    unsigned header = 4u * (at[0] & 15);
    if (at[0] >> 4 != 4 || header < FIXED || header > FIXED + MOST)
        return 1;
    unsigned total = word(at + 2);
    if (total > SIZE || total < header)
        return 2;
    if (sum(at, header) != 0xffff)
        return 3;
    // Two fields of 16 bits that must fit together.
    if ((uint16_t)(word(at + 4) * 3) < word(at + 6))
        return 4;
    if (!options(&state, at + FIXED, header - FIXED))
        return 5;
    if (!values(&state, at + header, total - header, 0))
        return 6;
    return state.names > 2 ? 7 : 0;
}

int main(void) {
    uint8_t bytes[SIZE];
    klee_make_symbolic(bytes, sizeof bytes, "packet");
    return packet(bytes);
}
