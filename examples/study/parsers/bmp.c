// Windows bitmaps: BMPDecoder, BMPParser and ImgParserBMP of MuSE's table 2 (Zhang, Chen, Shuai and others, 2020),
// which are parts of Java libraries; this one is written anew from the format's specification.
//
// Headers of OS/2 and of all versions of Windows, 1 to 32 bits a pixel, palettes, masks and run lengths. Whatever is
// read is checked, and pixels are decoded. What is wrong first is returned, or 0. The valid file below is the first
// input: see ../README.md.
#include <klee/klee.h>

// 4 by 3 pixels of 8 bits, from the bottom up, and a palette of 4 colours.
static unsigned char file[] = {
    'B', 'M', 82, 0, 0, 0, 0, 0, 0, 0, 70, 0, 0, 0,
    40, 0, 0, 0, 4, 0, 0, 0, 3, 0, 0, 0, 1, 0, 8, 0, 0, 0, 0, 0, 12, 0, 0, 0,
    19, 11, 0, 0, 19, 11, 0, 0, 4, 0, 0, 0, 0, 0, 0, 0,
    0, 0, 0, 0, 255, 0, 0, 0, 0, 255, 0, 0, 255, 255, 255, 0,
    0, 1, 2, 3, 1, 2, 3, 0, 2, 3, 0, 1,
};

enum { SIZE = sizeof file, FILE_HEADER = 14, MOST = 64 };

enum fault {
    VALID,
    NO_BITMAP,
    WRONG_SIZE,
    TRUNCATED,
    UNKNOWN_HEADER,
    WRONG_DIMENSIONS,
    TOO_LARGE,
    WRONG_PLANES,
    WRONG_DEPTH,
    WRONG_COMPRESSION,
    UPSIDE_DOWN,
    WRONG_PALETTE,
    WRONG_MASK,
    WRONG_OFFSET,
    WRONG_COLOUR,
    WRONG_RUN,
    UNKNOWN_SPACE,
};

enum compression { RGB, RLE8, RLE4, BITFIELDS, JPEG, PNG, ALPHA_BITFIELDS };

static struct {
    unsigned offset, header, width, height, depth, compression, colours, palette, bytes_of_colour;
    int top_down;
    unsigned masks[4];  // red, green, blue, alpha
} image;

static unsigned luminance;  // of all pixels

static unsigned u16(unsigned at) { return file[at] | (unsigned)file[at + 1] << 8; }

static unsigned u32(unsigned at) { return u16(at) | u16(at + 2) << 16; }

// The same number, once it is counted: from here on it is no more an input, and there is a path for each.
static unsigned counted(unsigned number) {
    unsigned count = 0;
    while (count < number)
        count++;
    return count;
}

static enum fault read_core(void) {
    image.width = u16(18);
    image.height = u16(20);
    if (u16(22) != 1)
        return WRONG_PLANES;
    image.depth = u16(24);
    image.bytes_of_colour = 3;
    if (image.depth == 16 || image.depth == 32)
        return WRONG_DEPTH;
    return VALID;
}

static enum fault read_info(void) {
    image.width = u32(18);
    image.height = u32(22);
    if (image.height >> 31) {
        image.top_down = 1;
        image.height = 0 - image.height;
    }
    if (u16(26) != 1)
        return WRONG_PLANES;
    image.depth = u16(28);
    image.compression = u32(30);
    image.colours = u32(46);
    image.bytes_of_colour = 4;
    if (u32(50) > image.colours && image.colours)
        return WRONG_PALETTE;
    return VALID;
}

// From here on, the depth is one of these numbers and no more an input.
static enum fault check_depth(void) {
    static const unsigned depths[] = {1, 4, 8, 16, 24, 32};
    for (unsigned i = 0; i < sizeof depths / sizeof *depths; i++)
        if (image.depth == depths[i]) {
            image.depth = depths[i];
            return VALID;
        }
    return WRONG_DEPTH;
}

static enum fault check_compression(void) {
    switch (image.compression) {
    case RGB:
        return VALID;
    case RLE8:
        if (image.depth != 8)
            return WRONG_COMPRESSION;
        break;
    case RLE4:
        if (image.depth != 4)
            return WRONG_COMPRESSION;
        break;
    case BITFIELDS:
    case ALPHA_BITFIELDS:
        return image.depth == 16 || image.depth == 32 ? VALID : WRONG_COMPRESSION;
    default:  // JPEG and PNG are for printers
        return WRONG_COMPRESSION;
    }
    return image.top_down ? UPSIDE_DOWN : VALID;
}

// The ones of a mask are next to each other.
static int is_contiguous(unsigned mask) {
    unsigned filled = mask | (mask - 1);
    return mask == 0 || (filled & (filled + 1)) == 0;
}

// Masks are part of the header since version 2, and behind it before.
static enum fault read_masks(void) {
    unsigned count = image.header >= 56 || image.compression == ALPHA_BITFIELDS ? 4 : 3, all = 0;
    if (image.depth != 16 && image.depth != 32)
        return VALID;
    if (image.compression != BITFIELDS && image.compression != ALPHA_BITFIELDS) {
        unsigned bits = image.depth == 16 ? 5 : 8;
        for (unsigned i = 0; i < 3; i++)
            image.masks[i] = ((1u << bits) - 1) << bits * (2 - i);
        return VALID;
    }
    if (54 + 4 * count > SIZE)
        return TRUNCATED;
    for (unsigned i = 0; i < count; i++) {
        unsigned mask = u32(54 + 4 * i);
        if (!is_contiguous(mask) || (mask & all))
            return WRONG_MASK;
        if (image.depth == 16 && mask > 0xffff)
            return WRONG_MASK;
        if (mask == 0 && i < 3)
            return WRONG_MASK;
        all |= mask;
        image.masks[i] = mask;
    }
    if (image.header == 40)
        image.palette += 4 * count;
    return VALID;
}

// Of version 4 and 5: where colours come from.
static enum fault check_space(void) {
    if (image.header < 108)
        return VALID;
    switch (u32(FILE_HEADER + 56)) {
    case 0:           // endpoints and gammas follow
    case 0x73524742:  // sRGB
    case 0x57696e20:  // as Windows has it
        return VALID;
    case 0x4c494e4b:
    case 0x4d424544:  // a profile, linked or embedded
        return image.header == 124 ? VALID : UNKNOWN_SPACE;
    }
    return UNKNOWN_SPACE;
}

static enum fault read_palette(void) {
    if (image.depth > 8) {
        image.colours = 0;
        return VALID;
    }
    unsigned most = 1u << image.depth;
    if (image.colours == 0)
        image.colours = most;
    if (image.colours > most)
        return WRONG_PALETTE;
    return image.palette + image.colours * image.bytes_of_colour > image.offset ? WRONG_PALETTE : VALID;
}

static enum fault show_indexed(unsigned index) {
    if (index >= image.colours)
        return WRONG_COLOUR;
    unsigned at = image.palette + index * image.bytes_of_colour;
    luminance += (file[at] + 5u * file[at + 1] + 2u * file[at + 2]) / 8;
    return VALID;
}

static unsigned channel(unsigned pixel, unsigned mask) {
    pixel &= mask;
    while (mask && !(mask & 1)) {
        mask >>= 1;
        pixel >>= 1;
    }
    return pixel;
}

static enum fault show_row(unsigned at) {
    for (unsigned x = 0; x < image.width; x++) {
        enum fault fault = VALID;
        switch (image.depth) {
        case 1:
            fault = show_indexed(file[at + x / 8] >> (7 - x % 8) & 1);
            break;
        case 4:
            fault = show_indexed(x % 2 ? file[at + x / 2] & 15 : file[at + x / 2] >> 4);
            break;
        case 8:
            fault = show_indexed(file[at + x]);
            break;
        case 24:
            luminance += (file[at + 3 * x] + 5u * file[at + 3 * x + 1] + 2u * file[at + 3 * x + 2]) / 8;
            break;
        default: {
            unsigned pixel = image.depth == 16 ? u16(at + 2 * x) : u32(at + 4 * x);
            for (int i = 0; i < 3; i++)
                luminance += channel(pixel, image.masks[i]);
        }
        }
        if (fault)
            return fault;
    }
    return VALID;
}

static enum fault show_plain(void) {
    unsigned stride = (image.width * image.depth + 31) / 32 * 4, at = image.offset;
    for (unsigned y = 0; y < image.height; y++, at += stride) {
        if (stride > SIZE - at)
            return TRUNCATED;
        enum fault fault = show_row(at);
        if (fault)
            return fault;
    }
    return VALID;
}

// One of the pixels of a run, which in 4 bits takes its two halves in turn.
static enum fault show_part(unsigned byte, unsigned i) {
    if (image.depth == 8)
        return show_indexed(byte);
    return show_indexed(i % 2 ? byte & 15 : byte >> 4);
}

static enum fault show_runs(void) {
    unsigned x = 0, y = 0, at = image.offset;
    enum fault fault;
    while (at + 2 <= SIZE) {
        unsigned count = file[at], second = file[at + 1];
        at += 2;
        if (count > 0) {
            if (y >= image.height || count > image.width - x)
                return WRONG_RUN;
            for (unsigned i = 0; i < count; i++, x++)
                if ((fault = show_part(second, i)))
                    return fault;
        } else if (second == 0) {
            x = 0;
            y++;
        } else if (second == 1)
            return VALID;
        else if (second == 2) {
            if (at + 2 > SIZE)
                return TRUNCATED;
            x += file[at];
            y += file[at + 1];
            at += 2;
            if (x > image.width || y >= image.height)
                return WRONG_RUN;
        } else {
            if (y >= image.height || second > image.width - x)
                return WRONG_RUN;
            second = counted(second);
            unsigned bytes = image.depth == 8 ? second : (second + 1) / 2;
            if (bytes > SIZE - at)
                return TRUNCATED;
            for (unsigned i = 0; i < second; i++, x++)
                if ((fault = show_part(file[at + (image.depth == 8 ? i : i / 2)], i)))
                    return fault;
            at += (bytes + 1) / 2 * 2;
        }
    }
    return TRUNCATED;
}

static enum fault parse(void) {
    enum fault fault;
    if (file[0] != 'B' || file[1] != 'M')
        return NO_BITMAP;
    if (u32(2) != SIZE && u32(2) != 0)
        return WRONG_SIZE;
    image.offset = u32(10);
    image.header = u32(14);
    switch (image.header) {
    case 12:
        fault = read_core();
        break;
    case 40:
    case 52:
    case 56:
    case 64:
    case 108:
    case 124:
        if (FILE_HEADER + image.header > SIZE)
            return TRUNCATED;
        fault = read_info();
        break;
    default:
        return UNKNOWN_HEADER;
    }
    if (fault)
        return fault;
    if (image.width == 0 || image.height == 0)
        return WRONG_DIMENSIONS;
    if (image.width > MOST || image.height > MOST)
        return TOO_LARGE;
    image.palette = FILE_HEADER + image.header;
    if ((fault = check_depth()) || (fault = read_masks()))
        return fault;
    if ((fault = check_compression()) || (fault = check_space()))
        return fault;
    if (image.offset < image.palette || image.offset > SIZE)
        return WRONG_OFFSET;
    image.offset = counted(image.offset);
    if ((fault = read_palette()))
        return fault;
    if (image.compression == RLE8 || image.compression == RLE4)
        return show_runs();
    return show_plain();
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
