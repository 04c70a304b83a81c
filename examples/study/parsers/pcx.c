// PC Paintbrush: ImgParserPCX of MuSE's table 2 (Zhang, Chen, Shuai and others, 2020), which is part of a Java
// library; this one is written anew from ZSoft's technical reference.
//
// All versions, 1 to 8 bits in 1 to 4 planes, the palettes of the header, of the old defaults and behind the image,
// and run lengths, which may not cross the end of the image. What is wrong first is returned, or 0. The valid file
// below is the first input: see ../README.md.
#include <klee/klee.h>

// 8 by 3 pixels of 4 bits, in four planes.
static unsigned char file[] = {
    10, 5, 1, 1, 0, 0, 0, 0, 7, 0, 2, 0, 72, 0, 72, 0,                     // up to the resolution
    0, 0, 0, 128, 0, 0, 0, 128, 0, 128, 128, 0, 0, 0, 128, 128, 0, 128,    // 16 colours
    0, 128, 128, 192, 192, 192, 128, 128, 128, 255, 0, 0, 0, 255, 0,
    255, 255, 0, 0, 0, 255, 255, 0, 255, 0, 255, 255, 255, 255, 255,
    0, 4, 2, 0, 1, 0, 0, 0, 0, 0,                                          // planes, bytes of a line, screen
    0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
    0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
    0x55, 0, 0x33, 0, 0x0f, 0, 0xc2, 0xff, 0xc8, 0, 0xc1, 0xf0, 0, 0x0f, 0, 0x3c, 0, 0xc2, 0xc3,
};

enum { SIZE = sizeof file, HEADER = 128, MOST = 64, LARGE_PALETTE = 769 };

enum fault {
    VALID,
    NO_PAINTBRUSH,
    UNKNOWN_VERSION,
    UNKNOWN_ENCODING,
    WRONG_DEPTH,
    WRONG_PLANES,
    WRONG_WINDOW,
    TOO_LARGE,
    SHORT_LINE,
    ODD_LINE,
    WRONG_PALETTE,
    NO_PALETTE,
    RESERVED_BYTE,
    TRUNCATED,
    LONG_RUN,
    EMPTY_RUN,
};

enum palette { TWO_COLOURS, CGA, IN_HEADER, DEFAULT, BEHIND, GREYS, DIRECT };

static struct {
    unsigned version, depth, planes, width, height, line;
    int packed;
    enum palette palette;
    unsigned end;  // of the pixels
} image;

static unsigned at, run, value;       // of the decoder
static unsigned char lines[4][MOST];  // a line, by planes
static unsigned checksum;

static unsigned u16(unsigned at) { return file[at] | (unsigned)file[at + 1] << 8; }

// Those that there are. From here on, depth and planes are numbers of this table and no more inputs.
static enum fault check_depth(void) {
    static const struct {
        unsigned depth, planes;
    } known[] = {{1, 1}, {1, 2}, {1, 3}, {1, 4}, {2, 1}, {2, 4}, {4, 1}, {8, 1}, {8, 3}, {8, 4}};
    enum fault fault = WRONG_DEPTH;
    for (unsigned i = 0; i < sizeof known / sizeof *known; i++)
        if (image.depth == known[i].depth) {
            fault = WRONG_PLANES;
            if (image.planes == known[i].planes) {
                image.depth = known[i].depth;
                image.planes = known[i].planes;
                return VALID;
            }
        }
    return fault;
}

// Version 2 has a palette, 3 has none, and 5 may have a large one at the end of the file.
static enum fault find_palette(void) {
    unsigned bits = image.depth * image.planes;
    if (bits >= 24)
        image.palette = DIRECT;
    else if (bits == 1)
        image.palette = TWO_COLOURS;
    else if (bits == 8) {
        if (image.version < 5 || SIZE < HEADER + LARGE_PALETTE)
            return NO_PALETTE;
        image.end = SIZE - LARGE_PALETTE;
        if (file[image.end] != 12)
            return NO_PALETTE;
        image.palette = u16(68) == 2 ? GREYS : BEHIND;
    } else if (bits == 2 && image.version < 5) {
        // The first byte has the background's colour, and the fourth the number of the palette.
        if (file[16] & 15 || file[19] & 31)
            return WRONG_PALETTE;
        image.palette = CGA;
    } else if (bits > 4)
        return WRONG_DEPTH;
    else
        image.palette = image.version == 3 ? DEFAULT : IN_HEADER;
    return VALID;
}

static enum fault read_header(void) {
    enum fault fault;
    if (file[0] != 10)
        return NO_PAINTBRUSH;
    image.version = file[1];
    if (image.version == 1 || image.version > 5)
        return UNKNOWN_VERSION;
    if (file[2] > 1)
        return UNKNOWN_ENCODING;
    image.packed = file[2] == 1;
    image.depth = file[3];
    image.planes = file[65];
    if ((fault = check_depth()))
        return fault;
    unsigned left = u16(4), top = u16(6), right = u16(8), bottom = u16(10);
    if (right < left || bottom < top)
        return WRONG_WINDOW;
    image.width = right - left + 1;
    image.height = bottom - top + 1;
    if (image.width > MOST || image.height > MOST)
        return TOO_LARGE;
    if (file[64] != 0)
        return RESERVED_BYTE;
    image.line = u16(66);
    if (image.line > MOST)
        return TOO_LARGE;
    if (image.line % 2)
        return ODD_LINE;
    if (8 * image.line < image.width * image.depth)
        return SHORT_LINE;
    if (u16(68) > 2)
        return WRONG_PALETTE;
    image.end = SIZE;
    return find_palette();
}

// The two highest bits of a byte mark a run: the others are its length, and the next byte is what is repeated.
static enum fault next(unsigned *byte) {
    if (run == 0) {
        if (at >= image.end)
            return TRUNCATED;
        value = file[at++];
        run = 1;
        if (image.packed && value >> 6 == 3) {
            run = value & 63;
            if (run == 0)
                return EMPTY_RUN;
            if (at >= image.end)
                return TRUNCATED;
            value = file[at++];
        }
    }
    run--;
    *byte = value;
    return VALID;
}

static unsigned bits_at(unsigned plane, unsigned x) {
    unsigned per_byte = 8 / image.depth, byte = lines[plane][x / per_byte];
    return byte >> (8 - image.depth - x % per_byte * image.depth) & ((1u << image.depth) - 1);
}

static void show(unsigned x) {
    unsigned pixel = 0, colour;
    for (unsigned plane = 0; plane < image.planes; plane++)
        pixel |= bits_at(plane, x) << plane * image.depth;
    switch (image.palette) {
    case TWO_COLOURS:
        colour = pixel ? 255 : 0;
        break;
    case CGA:
        colour = (file[19] >> 5) * 4 + pixel;
        break;
    case IN_HEADER:
        colour = file[16 + 3 * pixel] + file[17 + 3 * pixel] + file[18 + 3 * pixel];
        break;
    case BEHIND:
    case GREYS:
        colour = file[image.end + 1 + 3 * pixel];
        break;
    default:
        colour = pixel;
    }
    checksum = (checksum ^ colour) << 1 | checksum >> 31;
}

static enum fault show_lines(void) {
    at = HEADER;
    for (unsigned y = 0; y < image.height; y++) {
        for (unsigned plane = 0; plane < image.planes; plane++)
            for (unsigned i = 0; i < image.line; i++) {
                unsigned byte;
                enum fault fault = next(&byte);
                if (fault)
                    return fault;
                lines[plane][i] = (unsigned char)byte;
            }
        for (unsigned x = 0; x < image.width; x++)
            show(x);
    }
    return run ? LONG_RUN : VALID;
}

static enum fault parse(void) {
    enum fault fault = read_header();
    return fault ? fault : show_lines();
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
