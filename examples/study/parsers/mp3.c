// Frames of MPEG audio: JaadParser and JMP3Parser of MuSE's table 2 (Zhang, Chen, Shuai and others, 2020), which are
// Java libraries; this one is written anew from ISO 11172-3, ISO 13818-3 and the description of ID3.
//
// Tags at the beginning and at the end, headers of all versions and layers, checksums, and the side information of
// layer III: what there is before the Huffman codes. What is wrong first is returned, or 0. The valid file below is
// the first input: see ../README.md.
#include <klee/klee.h>

// A tag with a title, and two frames of 24 bytes: version 2, layer III, one channel, 8 kbit/s at 24 kHz.
static unsigned char file[] = {
    'I', 'D', '3', 3, 0, 0, 0, 0, 0, 13, 'T', 'I', 'T', '2', 0, 0, 0, 3, 0, 0, 0, 'h', 'i',
    0xff, 0xf3, 0x14, 0xc4, 0x00, 0x02, 0x00, 0x0b, 0x48, 0x00, 0x08, 0x42, 0x00,
    0x5a, 0x3c, 0x5a, 0x3c, 0x5a, 0x3c, 0x5a, 0x3c, 0x5a, 0x3c, 0x5a,
    0xff, 0xf3, 0x14, 0xc4, 0x02, 0x02, 0x00, 0x0b, 0x48, 0x00, 0x08, 0x42, 0x00,
    0x5a, 0x3c, 0x5a, 0x3c, 0x5a, 0x3c, 0x5a, 0x3c, 0x5a, 0x3c, 0x5a,
};

enum { SIZE = sizeof file, END_TAG = 128 };

enum fault {
    VALID,
    TRUNCATED,
    UNKNOWN_TAG,
    WRONG_TAG_FLAGS,
    WRONG_TAG_SIZE,
    WRONG_TAG_FRAME,
    NO_SYNC,
    RESERVED_VERSION,
    RESERVED_LAYER,
    FREE_RATE,
    WRONG_RATE,
    RESERVED_FREQUENCY,
    RESERVED_EMPHASIS,
    WRONG_MODE,
    CHANGED_FORMAT,
    WRONG_CHECKSUM,
    WRONG_RESERVOIR,
    WRONG_BIG_VALUES,
    WRONG_BLOCK_TYPE,
    WRONG_TABLE,
    LONG_DATA,
    NO_FRAMES,
};

enum version { MPEG_25, RESERVED, MPEG_2, MPEG_1 };
enum layer { NO_LAYER, LAYER_III, LAYER_II, LAYER_I };
enum mode { STEREO, JOINT_STEREO, DUAL, MONO };

static struct {
    unsigned version, layer, rate, frequency, mode, length;
    int has_checksum, padded;
} frame, first;

static unsigned at, end, frames, reservoir, texts;

// Of bits, the highest first.
static unsigned bit;

static unsigned u16(unsigned at) { return (unsigned)file[at] << 8 | file[at + 1]; }

// Seven bits a byte, so that no byte looks like a sync.
static int read_syncsafe(unsigned at, unsigned *value) {
    *value = 0;
    for (int i = 0; i < 4; i++) {
        if (file[at + i] >> 7)
            return 0;
        *value = *value << 7 | file[at + i];
    }
    return 1;
}

// Byte by byte, so that on each path it is known where we are.
static void skip(unsigned count) {
    for (; count > 0; count--)
        at++;
}

static int is_name(unsigned char c) { return (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9'); }

// A frame of a tag; in version 2 of it, its names and sizes have three bytes.
static enum fault read_tag_frame(unsigned version, unsigned limit) {
    unsigned names = version == 2 ? 3 : 4, header = version == 2 ? 6 : 10, size;
    if (header > limit - at)
        return WRONG_TAG_FRAME;
    for (unsigned i = 0; i < names; i++)
        if (!is_name(file[at + i]))
            return WRONG_TAG_FRAME;
    if (version == 2)
        size = (unsigned)file[at + 3] << 16 | u16(at + 4);
    else if (version == 3)
        size = u16(at + 4) << 16 | u16(at + 6);
    else if (!read_syncsafe(at + 4, &size))
        return WRONG_TAG_FRAME;
    if (size == 0 || size > limit - at - header)
        return WRONG_TAG_FRAME;
    if (file[at] == 'T') {
        if (file[at + header] > (version == 4 ? 3 : 1))  // the encoding
            return WRONG_TAG_FRAME;
        texts++;
    }
    at += header;
    skip(size);
    return VALID;
}

static enum fault read_tag(void) {
    static const unsigned char known_flags[] = {0xc0, 0xe0, 0xf0};
    unsigned size, version;
    if (file[0] != 'I' || file[1] != 'D' || file[2] != '3')
        return VALID;
    for (version = 2; file[3] != version; version++)
        if (version == 4)
            return UNKNOWN_TAG;
    if (file[4] == 0xff)
        return UNKNOWN_TAG;
    if (file[5] & ~known_flags[version - 2] & 0xff)
        return WRONG_TAG_FLAGS;
    if (!read_syncsafe(6, &size) || size > SIZE - 10)
        return WRONG_TAG_SIZE;
    at = 10;
    unsigned limit = at + size;
    if (version > 2 && file[5] & 0x40) {
        if (size < 6)
            return WRONG_TAG_SIZE;
        unsigned extended;
        if (version == 3)
            extended = (u16(at) << 16 | u16(at + 2)) + 4;
        else if (!read_syncsafe(at, &extended))
            return WRONG_TAG_SIZE;
        if (extended < 6 || extended > size)
            return WRONG_TAG_SIZE;
        skip(extended);
    }
    while (at < limit && file[at] != 0) {
        enum fault fault = read_tag_frame(version, limit);
        if (fault)
            return fault;
    }
    while (at < limit)  // the padding
        at++;
    if (version == 4 && file[5] & 0x10) {
        if (SIZE - at < 10)
            return TRUNCATED;
        at += 10;
    }
    return VALID;
}

static void find_end_tag(void) {
    end = SIZE;
    if (SIZE >= END_TAG && file[SIZE - END_TAG] == 'T' && file[SIZE - END_TAG + 1] == 'A' &&
        file[SIZE - END_TAG + 2] == 'G')
        end = SIZE - END_TAG;
}

// In kbit/s, by version 1 or not, and by layer.
static const unsigned short rates[2][3][15] = {
    {{0, 8, 16, 24, 32, 40, 48, 56, 64, 80, 96, 112, 128, 144, 160},
     {0, 8, 16, 24, 32, 40, 48, 56, 64, 80, 96, 112, 128, 144, 160},
     {0, 32, 48, 56, 64, 80, 96, 112, 128, 144, 160, 176, 192, 224, 256}},
    {{0, 32, 40, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320},
     {0, 32, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320, 384},
     {0, 32, 64, 96, 128, 160, 192, 224, 256, 288, 320, 352, 384, 416, 448}},
};

static const unsigned short frequencies[3] = {44100, 48000, 32000};

// The number itself, once it is no more an input: there is a path for each.
static unsigned chosen(unsigned value, unsigned values) {
    unsigned i = 0;
    while (i < values - 1 && value != i)
        i++;
    return i;
}

// Not all rates of layer II go with all modes.
static int rate_fits_mode(void) {
    if (frame.layer != LAYER_II || frame.version != MPEG_1)
        return 1;
    switch (frame.rate) {
    case 32:
    case 48:
    case 56:
    case 80:
        return frame.mode == MONO;
    case 224:
    case 256:
    case 320:
    case 384:
        return frame.mode != MONO;
    }
    return 1;
}

static enum fault read_header(void) {
    if (end - at < 4)
        return TRUNCATED;
    if (file[at] != 0xff || file[at + 1] >> 5 != 7)
        return NO_SYNC;
    frame.version = chosen(file[at + 1] >> 3 & 3, 4);
    frame.layer = chosen(file[at + 1] >> 1 & 3, 4);
    frame.has_checksum = !(file[at + 1] & 1);
    if (frame.version == RESERVED)
        return RESERVED_VERSION;
    if (frame.layer == NO_LAYER)
        return RESERVED_LAYER;
    unsigned rate = chosen(file[at + 2] >> 4, 16), frequency = chosen(file[at + 2] >> 2 & 3, 4);
    if (rate == 0)
        return FREE_RATE;
    if (rate == 15)
        return WRONG_RATE;
    if (frequency == 3)
        return RESERVED_FREQUENCY;
    frame.rate = rates[frame.version == MPEG_1][frame.layer - 1][rate];
    frame.frequency = frequencies[frequency] >> (frame.version == MPEG_1 ? 0 : frame.version == MPEG_2 ? 1 : 2);
    frame.padded = file[at + 2] >> 1 & 1;
    frame.mode = chosen(file[at + 3] >> 6, 4);
    if (frame.mode != JOINT_STEREO && file[at + 3] >> 4 & 3)
        return WRONG_MODE;
    if ((file[at + 3] & 3) == 2)
        return RESERVED_EMPHASIS;
    if (!rate_fits_mode())
        return WRONG_RATE;
    unsigned slots = frame.layer == LAYER_I ? 12 : frame.layer == LAYER_III && frame.version != MPEG_1 ? 72 : 144;
    frame.length = slots * frame.rate * 1000 / frame.frequency + (frame.padded ? 1 : 0);
    if (frame.layer == LAYER_I)
        frame.length *= 4;
    return VALID;
}

static unsigned bits(unsigned count) {
    unsigned value = 0;
    for (; count > 0; count--, bit++)
        value = value << 1 | (file[bit / 8] >> (7 - bit % 8) & 1);
    return value;
}

// One channel of one granule.
static enum fault read_granule(unsigned *data) {
    int old = frame.version != MPEG_1;
    *data += bits(12);
    if (bits(9) > 288)
        return WRONG_BIG_VALUES;
    bits(8);  // the gain
    bits(old ? 9 : 4);
    int switched = (int)bits(1);
    if (switched) {
        if (bits(2) == 0)
            return WRONG_BLOCK_TYPE;
        bits(1);
    }
    for (int i = 0; i < (switched ? 2 : 3); i++) {
        unsigned number = bits(5);
        if (number == 4 || number == 14)
            return WRONG_TABLE;
    }
    bits(switched ? 9 : 7);  // gains of sub-blocks, or where regions end
    bits(old ? 2 : 3);
    return VALID;
}

// Of layer III: where data begins, in this frame or before it, and how long it is.
static enum fault read_side(unsigned from) {
    unsigned channels = frame.mode == MONO ? 1 : 2, granules = frame.version == MPEG_1 ? 2 : 1, data = 0;
    unsigned size = frame.version == MPEG_1 ? (channels == 1 ? 17 : 32) : channels == 1 ? 9 : 17;
    if (from + size > at + frame.length)
        return TRUNCATED;
    bit = 8 * from;
    unsigned back = bits(frame.version == MPEG_1 ? 9 : 8);
    if (back > reservoir)
        return WRONG_RESERVOIR;
    bits(frame.version == MPEG_1 ? (channels == 1 ? 5 : 3) : channels);
    if (frame.version == MPEG_1)
        bits(4 * channels);
    for (unsigned i = 0; i < granules * channels; i++) {
        enum fault fault = read_granule(&data);
        if (fault)
            return fault;
    }
    unsigned available = at + frame.length - from - size + back;
    if (data > 8 * available)
        return LONG_DATA;
    reservoir = available - (data + 7) / 8;
    if (reservoir > 511)
        reservoir = 511;
    return VALID;
}

// Of what follows the header's sync bytes; polynomial 0x8005.
static unsigned checksum(unsigned sum, unsigned from, unsigned count) {
    for (unsigned i = 0; i < 8 * count; i++) {
        unsigned next = (file[from + i / 8] >> (7 - i % 8) ^ sum >> 15) & 1;
        sum = (sum << 1 ^ (next ? 0x8005 : 0)) & 0xffff;
    }
    return sum;
}

static enum fault read_frame(void) {
    enum fault fault = read_header();
    if (fault)
        return fault;
    if (frame.length > end - at)
        return TRUNCATED;
    if (frames == 0)
        first = frame;
    else if (frame.version != first.version || frame.layer != first.layer || frame.frequency != first.frequency)
        return CHANGED_FORMAT;
    unsigned from = at + 4;
    if (frame.has_checksum) {
        if (frame.length < 8)
            return TRUNCATED;
        from += 2;
        if (frame.layer != LAYER_III && checksum(checksum(0xffff, at + 2, 2), from, 2) != u16(at + 4))
            return WRONG_CHECKSUM;
    }
    if (frame.layer == LAYER_III && (fault = read_side(from)))
        return fault;
    frames++;
    at += frame.length;
    return VALID;
}

static enum fault parse(void) {
    enum fault fault = read_tag();
    if (fault)
        return fault;
    find_end_tag();
    while (at < end)
        if ((fault = read_frame()))
            return fault;
    return frames ? VALID : NO_FRAMES;
}

#ifdef SEED
#include <stdio.h>

int main(void) {
    printf("{ \"test\": 1, \"outcome\": {\"kind\":\"exit\",\"status\":%d},\n", parse());
    printf("  \"inputs\": [{\"name\":\"file\",\"bytes\":\"");
    for (int i = 0; i < SIZE; i++)
        printf("%02x", file[i]);
    printf("\"}] }\n");
    return 0;
}
#else
int main(void) {
    klee_make_symbolic(file, SIZE, "file");
    return parse();
}
#endif
