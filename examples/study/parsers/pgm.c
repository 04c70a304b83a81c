// Portable graymaps and their relatives: PGMParser of MuSE's table 2 (Zhang, Chen, Shuai and others, 2020), which is
// part of a Java library; this one is written anew from Netpbm's specification.
//
// PBM, PGM and PPM, each as text and as bytes, with comments, samples of one or two bytes, and bits that are packed.
// What is wrong first is returned, or 0. The valid file below is the first input: see ../README.md.
#include <klee/klee.h>

static unsigned char file[] = "P2\n# four by two\n4 2\n15\n0 5 10 15\n1 6 11 3\n";

enum { SIZE = sizeof file - 1, MOST = 64 };

enum fault {
    VALID,
    NO_PIXMAP,
    UNKNOWN_KIND,
    TRUNCATED,
    EXPECTED_SPACE,
    EXPECTED_NUMBER,
    TOO_GREAT,
    WRONG_DIMENSIONS,
    WRONG_MAXIMUM,
    WRONG_SAMPLE,
    WRONG_BIT,
    NOTHING_BUT_BLACK,
};

enum kind { BITS, GREYS, COLOURS };

static struct {
    enum kind kind;
    int plain;
    unsigned width, height, maximum;
} image;

static unsigned at, brightest, histogram[4];

static int is_space(unsigned char c) { return c == ' ' || (c >= '\t' && c <= '\r'); }

static int is_digit(unsigned char c) { return c >= '0' && c <= '9'; }

// White space and comments, which end with their line.
static enum fault skip(void) {
    while (at < SIZE) {
        if (file[at] == '#')
            while (at < SIZE && file[at] != '\n' && file[at] != '\r')
                at++;
        else if (!is_space(file[at]))
            return VALID;
        else
            at++;
    }
    return TRUNCATED;
}

static enum fault read_number(unsigned *number, unsigned most) {
    enum fault fault = skip();
    if (fault)
        return fault;
    if (!is_digit(file[at]))
        return EXPECTED_NUMBER;
    for (*number = 0; at < SIZE && is_digit(file[at]); at++) {
        *number = 10 * *number + (file[at] - '0');
        if (*number > most)
            return TOO_GREAT;
    }
    return VALID;
}

static enum fault read_kind(void) {
    if (file[0] != 'P')
        return NO_PIXMAP;
    switch (file[1]) {
    case '1':
    case '4':
        image.kind = BITS;
        break;
    case '2':
    case '5':
        image.kind = GREYS;
        break;
    case '3':
    case '6':
        image.kind = COLOURS;
        break;
    default:
        return UNKNOWN_KIND;
    }
    image.plain = file[1] <= '3';
    at = 2;
    return is_space(file[at]) || file[at] == '#' ? VALID : EXPECTED_SPACE;
}

static enum fault read_header(void) {
    enum fault fault;
    if ((fault = read_kind()) || (fault = read_number(&image.width, MOST)) ||
        (fault = read_number(&image.height, MOST)))
        return fault;
    if (image.width == 0 || image.height == 0)
        return WRONG_DIMENSIONS;
    image.maximum = 1;
    if (image.kind != BITS) {
        if ((fault = read_number(&image.maximum, 65535)))
            return fault;
        if (image.maximum == 0)
            return WRONG_MAXIMUM;
    }
    // One space is the last of the header: what follows may be samples that look like space.
    if (at == SIZE)
        return TRUNCATED;
    if (!is_space(file[at]))
        return EXPECTED_SPACE;
    at++;
    return VALID;
}

static enum fault note(unsigned sample) {
    if (sample > image.maximum)
        return WRONG_SAMPLE;
    if (sample > brightest)
        brightest = sample;
    if (sample == 0)
        histogram[0]++;
    else if (sample == image.maximum)
        histogram[3]++;
    else
        histogram[sample > image.maximum / 2 ? 2 : 1]++;
    return VALID;
}

// In plain bitmaps, no space is needed between bits.
static enum fault read_plain(unsigned *sample) {
    if (image.kind != BITS)
        return read_number(sample, 65535);
    enum fault fault = skip();
    if (fault)
        return fault;
    if (file[at] != '0' && file[at] != '1')
        return WRONG_BIT;
    *sample = file[at++] == '0';
    return VALID;
}

static enum fault read_raw(unsigned *sample) {
    unsigned bytes = image.maximum > 255 ? 2 : 1;
    if (bytes > SIZE - at)
        return TRUNCATED;
    *sample = bytes == 2 ? (unsigned)file[at] << 8 | file[at + 1] : file[at];
    at += bytes;
    return VALID;
}

// Eight pixels a byte; a row begins with a new one.
static enum fault read_packed_row(void) {
    for (unsigned x = 0; x < image.width; x++) {
        if (at == SIZE)
            return TRUNCATED;
        note(!(file[at] >> (7 - x % 8) & 1));
        if (x % 8 == 7)
            at++;
    }
    if (image.width % 8)
        at++;
    return VALID;
}

static enum fault read_row(void) {
    unsigned samples = image.kind == COLOURS ? 3 * image.width : image.width;
    for (unsigned i = 0; i < samples; i++) {
        unsigned sample;
        enum fault fault = image.plain ? read_plain(&sample) : read_raw(&sample);
        if (fault || (fault = note(sample)))
            return fault;
    }
    return VALID;
}

static enum fault parse(void) {
    enum fault fault = read_header();
    if (fault)
        return fault;
    for (unsigned y = 0; y < image.height; y++) {
        fault = image.kind == BITS && !image.plain ? read_packed_row() : read_row();
        if (fault)
            return fault;
    }
    return brightest ? VALID : NOTHING_BUT_BLACK;
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
