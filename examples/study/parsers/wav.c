// Sound in RIFF: Schroeder of MuSE's table 2 (Zhang, Chen, Shuai and others, 2020), which is a Java library; this one
// is written anew from the specification of RIFF and of its WAVE form.
//
// Chunks in any order that is allowed, formats with and without an extension (PCM, floats, A-law, mu-law, ADPCM,
// extensible), facts, cues, lists of information, and samples of 1 to 8 bytes, of which the peaks are noted. What is
// wrong first is returned, or 0. The valid file below is the first input: see ../README.md.
#include <klee/klee.h>

// 4 samples of 16 bits, two channels, behind a list with a title.
static unsigned char file[] = {
    'R', 'I', 'F', 'F', 74, 0, 0, 0, 'W', 'A', 'V', 'E',
    'f', 'm', 't', ' ', 16, 0, 0, 0, 1, 0, 2, 0, 64, 31, 0, 0, 0, 125, 0, 0, 4, 0, 16, 0,
    'L', 'I', 'S', 'T', 14, 0, 0, 0, 'I', 'N', 'F', 'O', 'I', 'N', 'A', 'M', 2, 0, 0, 0, 'a', 0,
    'd', 'a', 't', 'a', 16, 0, 0, 0, 0, 0, 1, 0, 255, 127, 0, 128, 254, 255, 3, 0, 0, 64, 0, 192,
};

enum { SIZE = sizeof file, CHANNELS = 8 };

enum fault {
    VALID,
    NO_RIFF,
    NO_WAVE,
    WRONG_SIZE,
    TRUNCATED,
    REPEATED_CHUNK,
    SHORT_FORMAT,
    UNKNOWN_FORMAT,
    WRONG_CHANNELS,
    WRONG_RATE,
    WRONG_DEPTH,
    WRONG_ALIGNMENT,
    WRONG_EXTENSION,
    WRONG_SPEAKERS,
    WRONG_GUID,
    NO_FORMAT,
    NO_FACT,
    NO_DATA,
    WRONG_FACT,
    WRONG_LIST,
    WRONG_CUE,
    CLIPPED,
};

enum format { PCM = 1, ADPCM = 2, FLOAT = 3, A_LAW = 6, MU_LAW = 7, EXTENSIBLE = 0xfffe };

#define NAME(a, b, c, d) ((unsigned)(a) | (unsigned)(b) << 8 | (unsigned)(c) << 16 | (unsigned)(d) << 24)

static struct {
    unsigned format, channels, rate, bytes_a_second, block, depth, valid_bits, bytes;
    int has_format, has_fact, has_data;
    unsigned facts, frames, cues, texts;
} sound;

static int peaks[CHANNELS], clipped;

static unsigned u16(unsigned at) { return file[at] | (unsigned)file[at + 1] << 8; }

static unsigned u32(unsigned at) { return u16(at) | u16(at + 2) << 16; }

// The same number, once it is counted: from here on it is no more an input, and there is a path for each.
static unsigned counted(unsigned number) {
    unsigned count = 0;
    while (count < number)
        count++;
    return count;
}

// The format in full: a name for the family, and a tail that is always the same.
static enum fault read_extensible(unsigned at, unsigned size) {
    static const unsigned char tail[] = {0, 0, 0, 0, 16, 0, 128, 0, 0, 170, 0, 56, 155, 113};
    if (size < 40 || u16(at + 16) < 22)
        return WRONG_EXTENSION;
    sound.valid_bits = u16(at + 18);
    if (sound.valid_bits > sound.depth)
        return WRONG_DEPTH;
    unsigned speakers = 0;
    for (unsigned mask = u32(at + 20); mask; mask &= mask - 1)
        if (++speakers > sound.channels)
            return WRONG_SPEAKERS;
    sound.format = u16(at + 24);
    for (unsigned i = 0; i < sizeof tail; i++)
        if (file[at + 26 + i] != tail[i])
            return WRONG_GUID;
    return sound.format == EXTENSIBLE ? UNKNOWN_FORMAT : VALID;
}

// The bytes of a sample; 0 where there are none such.
static unsigned bytes_of_sample(void) {
    switch (sound.format) {
    case PCM:
        for (unsigned bytes = 1; bytes <= 4; bytes++)
            if (sound.depth == 8 * bytes)
                return bytes;
        return 0;
    case FLOAT:
        if (sound.depth == 64)
            return 8;
        return sound.depth == 32 ? 4 : 0;
    }
    return sound.depth == 8 ? 1 : 0;
}

// Products are sums over the channels, so that they are linear.
static enum fault check_rates(void) {
    unsigned block = 0, bytes_a_second = 0;
    for (unsigned i = 0; i < sound.channels; i++) {
        block += sound.bytes;
        bytes_a_second += sound.bytes * sound.rate;
    }
    if (sound.block != block)
        return WRONG_ALIGNMENT;
    sound.block = block;
    return sound.bytes_a_second == bytes_a_second ? VALID : WRONG_RATE;
}

// Coefficients: seven of them are given, others may follow.
static enum fault read_adpcm(unsigned at, unsigned size) {
    if (size < 22 || u16(at + 16) < 4)
        return WRONG_EXTENSION;
    unsigned count = u16(at + 20);
    if (count < 7 || count > 255 || u16(at + 16) != 4 + 4 * count || size < 22 + 4 * count)
        return WRONG_EXTENSION;
    return u16(at + 18) < 2 ? WRONG_ALIGNMENT : VALID;
}

static enum fault read_format(unsigned at, unsigned size) {
    enum fault fault;
    if (sound.has_format)
        return REPEATED_CHUNK;
    if (size < 16)
        return SHORT_FORMAT;
    sound.has_format = 1;
    sound.format = u16(at);
    sound.channels = u16(at + 2);
    sound.rate = u32(at + 4);
    sound.bytes_a_second = u32(at + 8);
    sound.block = u16(at + 12);
    sound.depth = u16(at + 14);
    if (sound.channels == 0 || sound.channels > CHANNELS)
        return WRONG_CHANNELS;
    if (sound.rate < 1000 || sound.rate > 192000)
        return WRONG_RATE;
    if (size > 16 && (size < 18 || u16(at + 16) > size - 18))
        return WRONG_EXTENSION;
    if (sound.format == EXTENSIBLE && (fault = read_extensible(at, size)))
        return fault;
    switch (sound.format) {
    case PCM:
    case FLOAT:
    case A_LAW:
    case MU_LAW:
        sound.bytes = bytes_of_sample();
        return sound.bytes ? check_rates() : WRONG_DEPTH;
    case ADPCM:
        return sound.depth == 4 ? read_adpcm(at, size) : WRONG_DEPTH;
    }
    return UNKNOWN_FORMAT;
}

static enum fault read_fact(unsigned at, unsigned size) {
    if (size < 4)
        return WRONG_FACT;
    sound.has_fact = 1;
    sound.facts = u32(at);
    return VALID;
}

static enum fault read_list(unsigned at, unsigned size) {
    if (size < 4)
        return WRONG_LIST;
    if (u32(at) != NAME('I', 'N', 'F', 'O'))
        return VALID;
    for (unsigned end = at + size, next = at + 4; next < end;) {
        if (end - next < 8 || u32(next + 4) > end - next - 8)
            return WRONG_LIST;
        unsigned name = u32(next), length = counted(u32(next + 4));
        if ((name & 255) != 'I' || (length && file[next + 8 + length - 1]))
            return WRONG_LIST;  // a text ends with a zero
        sound.texts++;
        next += 8 + length + length % 2;
    }
    return VALID;
}

static enum fault read_cues(unsigned at, unsigned size) {
    if (size < 4 || (size - 4) % 24 || u32(at) != (size - 4) / 24)
        return WRONG_CUE;
    for (unsigned point = at + 4; point < at + size; point += 24) {
        if (u32(point + 8) != NAME('d', 'a', 't', 'a'))
            return WRONG_CUE;
        sound.cues++;
    }
    return VALID;
}

// A sample's highest 16 bits, or what there is of them. Of floats, those say enough for a peak.
static int sample(unsigned at) {
    if (sound.bytes == 1)
        return sound.format == PCM ? file[at] - 128 : file[at] % 128;
    int value = (int)u16(at + sound.bytes - 2);
    return value < 0x8000 ? value : value - 0x10000;
}

static enum fault read_data(unsigned at, unsigned size) {
    if (!sound.has_format)
        return NO_FORMAT;
    if (sound.has_data)
        return REPEATED_CHUNK;
    if (sound.format != PCM && !sound.has_fact)
        return NO_FACT;
    sound.has_data = 1;
    if (sound.format == ADPCM)
        return VALID;
    for (; size >= sound.block; size -= sound.block, sound.frames++)
        for (unsigned i = 0; i < sound.channels; i++, at += sound.bytes) {
            int value = sample(at);
            if (value > peaks[i])
                peaks[i] = value;
            if (sound.format == PCM && sound.bytes == 2 && value == -0x8000)
                clipped++;
        }
    return size ? WRONG_ALIGNMENT : VALID;
}

static enum fault read_chunk(unsigned at, unsigned size) {
    switch (u32(at - 8)) {
    case NAME('f', 'm', 't', ' '):
        return read_format(at, size);
    case NAME('f', 'a', 'c', 't'):
        return read_fact(at, size);
    case NAME('L', 'I', 'S', 'T'):
        return read_list(at, size);
    case NAME('c', 'u', 'e', ' '):
        return read_cues(at, size);
    case NAME('d', 'a', 't', 'a'):
        return read_data(at, size);
    }
    return VALID;  // of others nothing is known
}

static enum fault parse(void) {
    if (u32(0) != NAME('R', 'I', 'F', 'F'))
        return NO_RIFF;
    if (u32(4) != SIZE - 8)
        return WRONG_SIZE;
    if (u32(8) != NAME('W', 'A', 'V', 'E'))
        return NO_WAVE;
    for (unsigned at = 12; at < SIZE;) {
        if (SIZE - at < 8)
            return TRUNCATED;
        if (u32(at + 4) > SIZE - at - 8)
            return TRUNCATED;
        unsigned size = counted(u32(at + 4));
        enum fault fault = read_chunk(at + 8, size);
        if (fault)
            return fault;
        at += 8 + size + size % 2;
    }
    if (!sound.has_data)
        return NO_DATA;
    if (sound.has_fact && sound.format == PCM && sound.facts != sound.frames)
        return WRONG_FACT;
    return clipped > 1 ? CLIPPED : VALID;
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
