// The graphics interchange format: GifParser of MuSE's table 2 (Zhang, Chen, Shuai and others, 2020), which is part of
// a Java library; this one is written anew from the specification of GIF89a.
//
// Both versions, global and local palettes, all extensions, interlaced images, and LZW with codes of 3 to 12 bits.
// What is wrong first is returned, or 0. The valid file below is the first input: see ../README.md.
#include <klee/klee.h>

// Two by two pixels of four colours, with a loop, a comment and a delay.
static unsigned char file[] = {
    'G', 'I', 'F', '8', '9', 'a', 2, 0, 2, 0, 0xf1, 0, 0,
    0, 0, 0, 255, 0, 0, 0, 255, 0, 255, 255, 255,
    0x21, 0xff, 11, 'N', 'E', 'T', 'S', 'C', 'A', 'P', 'E', '2', '.', '0', 3, 1, 0, 0, 0,
    0x21, 0xfe, 2, 'h', 'i', 0,
    0x21, 0xf9, 4, 5, 10, 0, 3, 0,
    0x2c, 0, 0, 0, 0, 2, 0, 2, 0, 0, 2, 3, 0x44, 0x34, 0x05, 0,
    0x3b,
};

enum { SIZE = sizeof file, MOST = 64, CODES = 4096 };

enum fault {
    VALID,
    NO_GIF,
    UNKNOWN_VERSION,
    TRUNCATED,
    WRONG_DIMENSIONS,
    TOO_LARGE,
    WRONG_BACKGROUND,
    UNKNOWN_BLOCK,
    UNKNOWN_EXTENSION,
    WRONG_EXTENSION,
    OLD_EXTENSION,
    WRONG_DISPOSAL,
    REPEATED_CONTROL,
    UNUSED_CONTROL,
    OUTSIDE,
    NO_PALETTE,
    RESERVED_BITS,
    WRONG_CODE_SIZE,
    WRONG_CODE,
    WRONG_COLOUR,
    TOO_MANY_PIXELS,
    TOO_FEW_PIXELS,
    NO_IMAGE,
    BEHIND_THE_END,
};

static struct {
    int is_89a;
    unsigned width, height, colours;  // of the global palette
    unsigned images, loops, comments, texts;
    int controlled, transparent;
    unsigned transparent_colour, delay;
} gif;

static struct {
    unsigned width, height, colours, x, y, pass, left;  // pixels that are to come
    int interlaced;
} image;

static unsigned at;

// Bits of the sub-blocks of an image.
static struct {
    unsigned block, bits, count;  // bytes left in the sub-block; bits at hand
} input;

// A code stands for what `prefix` stands for, and one colour behind it.
static struct {
    unsigned short prefix[CODES];
    unsigned char last[CODES], first[CODES];
    unsigned short length[CODES];
} table;

static unsigned u16(unsigned at) { return file[at] | (unsigned)file[at + 1] << 8; }

// Whether so many bytes are left.
static int has(unsigned count) { return count <= SIZE - at; }

// Byte by byte, so that on each path it is known where we are.
static void skip(unsigned count) {
    for (; count > 0; count--)
        at++;
}

static enum fault skip_palette(unsigned flags, unsigned *colours) {
    *colours = 0;
    if (!(flags & 0x80))
        return VALID;
    for (*colours = 2; flags & 7; flags--)
        *colours *= 2;
    if (!has(3 * *colours))
        return TRUNCATED;
    at += 3 * *colours;
    return VALID;
}

static enum fault read_screen(void) {
    if (file[0] != 'G' || file[1] != 'I' || file[2] != 'F')
        return NO_GIF;
    if (file[3] != '8' || (file[4] != '7' && file[4] != '9') || file[5] != 'a')
        return UNKNOWN_VERSION;
    gif.is_89a = file[4] == '9';
    gif.width = u16(6);
    gif.height = u16(8);
    if (gif.width == 0 || gif.height == 0)
        return WRONG_DIMENSIONS;
    if (gif.width > MOST || gif.height > MOST)
        return TOO_LARGE;
    at = 13;
    enum fault fault = skip_palette(file[10], &gif.colours);
    if (fault)
        return fault;
    if (gif.colours && file[11] >= gif.colours)
        return WRONG_BACKGROUND;
    return VALID;
}

// To the end of a series of sub-blocks, which is an empty one.
static enum fault skip_blocks(void) {
    for (;;) {
        if (!has(1))
            return TRUNCATED;
        unsigned size = file[at++];
        if (size == 0)
            return VALID;
        if (!has(size))
            return TRUNCATED;
        skip(size);
    }
}

// How the next image is shown.
static enum fault read_control(void) {
    if (!has(6))
        return TRUNCATED;
    if (file[at] != 4 || file[at + 5] != 0)
        return WRONG_EXTENSION;
    if (gif.controlled)
        return REPEATED_CONTROL;
    unsigned flags = file[at + 1];
    if (flags >> 5)
        return RESERVED_BITS;
    if ((flags >> 2 & 7) > 3)
        return WRONG_DISPOSAL;
    gif.controlled = 1;
    gif.transparent = flags & 1;
    gif.delay += u16(at + 2);
    gif.transparent_colour = file[at + 4];
    at += 6;
    return VALID;
}

static enum fault read_application(void) {
    static const char looping[] = "NETSCAPE2.0";
    if (!has(12))
        return TRUNCATED;
    if (file[at] != 11)
        return WRONG_EXTENSION;
    at++;
    int is_looping = 1;
    for (int i = 0; i < 11; i++)
        if (file[at + i] != looping[i])
            is_looping = 0;
    at += 11;
    if (is_looping) {
        if (!has(5))
            return TRUNCATED;
        if (file[at] != 3 || file[at + 1] != 1)
            return WRONG_EXTENSION;
        gif.loops = u16(at + 2);
    }
    return skip_blocks();
}

// Text in a grid of characters, which the global palette colours.
static enum fault read_text(void) {
    if (!has(13))
        return TRUNCATED;
    if (file[at] != 12)
        return WRONG_EXTENSION;
    if (!gif.colours || file[at + 11] >= gif.colours || file[at + 12] >= gif.colours)
        return NO_PALETTE;
    if (u16(at + 1) + u16(at + 5) > gif.width || u16(at + 3) + u16(at + 7) > gif.height)
        return OUTSIDE;
    if (file[at + 9] == 0 || file[at + 10] == 0)
        return WRONG_DIMENSIONS;
    gif.texts++;
    gif.controlled = 0;
    at += 13;
    return skip_blocks();
}

static enum fault read_extension(void) {
    if (!gif.is_89a)
        return OLD_EXTENSION;
    if (!has(1))
        return TRUNCATED;
    switch (file[at++]) {
    case 0xf9:
        return read_control();
    case 0xfe:
        gif.comments++;
        return skip_blocks();
    case 0x01:
        return read_text();
    case 0xff:
        return read_application();
    }
    return UNKNOWN_EXTENSION;
}

// The next code; a fault where sub-blocks end before.
static enum fault next_code(unsigned size, unsigned *code) {
    while (input.count < size) {
        if (input.block == 0) {
            if (!has(1))
                return TRUNCATED;
            input.block = file[at++];
            if (input.block == 0 || !has(input.block))
                return TRUNCATED;
        }
        input.bits |= (unsigned)file[at++] << input.count;
        input.count += 8;
        input.block--;
    }
    *code = input.bits & ((1u << size) - 1);
    input.bits >>= size;
    input.count -= size;
    return VALID;
}

// Rows of an interlaced image come in four passes.
static void next_row(void) {
    static const unsigned first[] = {0, 4, 2, 1}, step[] = {8, 8, 4, 2};
    image.x = 0;
    if (!image.interlaced) {
        image.y++;
        return;
    }
    image.y += step[image.pass];
    while (image.y >= image.height && image.pass < 3)
        image.y = first[++image.pass];
}

static enum fault show(unsigned code) {
    if (table.length[code] > image.left)
        return TOO_MANY_PIXELS;
    image.left -= table.length[code];
    for (unsigned i = table.length[code]; i > 0; i--, code = table.prefix[code]) {
        if (table.last[code] >= image.colours)
            return WRONG_COLOUR;
        if (++image.x == image.width)
            next_row();
    }
    return VALID;
}

static enum fault decode(unsigned minimum) {
    unsigned clear = 1u << minimum, end = clear + 1, next = end + 1, size = minimum + 1, code, old = CODES;
    enum fault fault;
    for (unsigned i = 0; i < clear; i++) {
        table.last[i] = table.first[i] = (unsigned char)i;
        table.length[i] = 1;
    }
    input.block = input.bits = input.count = 0;
    while (!(fault = next_code(size, &code))) {
        if (code == clear) {
            next = end + 1;
            size = minimum + 1;
            old = CODES;
            continue;
        }
        if (code == end)
            return image.left ? TOO_FEW_PIXELS : VALID;
        if (code > next || (code == next && old == CODES))
            return WRONG_CODE;
        if (old == CODES && code > end)
            return WRONG_CODE;
        if (old != CODES && next < CODES) {
            table.prefix[next] = (unsigned short)old;
            table.first[next] = table.first[old];
            table.last[next] = code == next ? table.first[old] : table.first[code];
            table.length[next] = table.length[old] + 1;
            next++;
            if (next == 1u << size && size < 12)
                size++;
        }
        if (code >= next)
            return WRONG_CODE;
        if ((fault = show(code)))
            return fault;
        old = code;
    }
    return fault;
}

static enum fault read_image(void) {
    if (!has(9))
        return TRUNCATED;
    unsigned flags = file[at + 8], colours;
    image.width = u16(at + 4);
    image.height = u16(at + 6);
    if (image.width == 0 || image.height == 0)
        return WRONG_DIMENSIONS;
    if (u16(at) + image.width > gif.width || u16(at + 2) + image.height > gif.height)
        return OUTSIDE;
    if (flags & 0x18)
        return RESERVED_BITS;
    image.interlaced = flags >> 6 & 1;
    at += 9;
    enum fault fault = skip_palette(flags, &colours);
    if (fault)
        return fault;
    image.colours = colours ? colours : gif.colours;
    if (!image.colours)
        return NO_PALETTE;
    if (gif.controlled && gif.transparent && gif.transparent_colour >= image.colours)
        return WRONG_COLOUR;
    if (!has(1))
        return TRUNCATED;
    unsigned minimum = file[at++];
    image.x = image.y = image.pass = image.left = 0;
    for (unsigned y = 0; y < image.height; y++)
        image.left += image.width;
    for (unsigned size = 2; size <= 8; size++)
        if (minimum == size) {
            if ((fault = decode(size)))
                return fault;
            gif.images++;
            gif.controlled = 0;
            if (!has(input.block))
                return TRUNCATED;
            skip(input.block);
            return skip_blocks();
        }
    return WRONG_CODE_SIZE;
}

static enum fault parse(void) {
    enum fault fault = read_screen();
    while (!fault) {
        if (!has(1))
            return TRUNCATED;
        switch (file[at++]) {
        case 0x21:
            fault = read_extension();
            break;
        case 0x2c:
            fault = read_image();
            break;
        case 0x3b:
            if (gif.images == 0)
                return NO_IMAGE;
            if (gif.controlled)
                return UNUSED_CONTROL;
            return at == SIZE ? VALID : BEHIND_THE_END;
        default:
            return UNKNOWN_BLOCK;
        }
    }
    return fault;
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
