// The header of an image file: magic, dimensions, then chunks, a palette among them.
//
// The classic mistake of image libraries is planted: the size of the picture is calculated in 16 bits, so that a
// large picture passes for a small one, and its last pixel is written far behind the buffer. Look at width, height
// and depth of that test: their product is just above a multiple of 65536. The second one: a palette has three
// colours at most, but a pixel may name a fourth.
#include <klee/klee.h>
#include <stdint.h>

#ifndef SIZE
#define SIZE 22
#endif

enum { HEADER = 9, PIXELS = 64, COLOURS = 3, LARGEST = 1024 };

static unsigned word(const uint8_t *at) { return at[0] | at[1] << 8; }

struct image {
    unsigned width, height, depth, colours, frames;
    uint8_t *palette;
    uint8_t pixels[PIXELS];
};

static int header(struct image *image, const uint8_t *at) {
    if (at[0] != 0x89 || at[1] != 'I' || at[2] != 'M')
        return 0;
    image->width = word(at + 3);
    image->height = word(at + 5);
    image->depth = at[7];
    if (image->width == 0 || image->height == 0 || image->width > LARGEST || image->height > LARGEST)
        return 0;
    if (image->depth != 8 && image->depth != 16 && image->depth != 24)
        return 0;
    // Nobody has pictures that are much longer than wide.
    if (image->height > 4 * image->width)
        return 0;
    return at[8] == (uint8_t)(at[3] + at[4] * 3 + at[5] * 5 + at[6] * 7 + at[7]);
}

static int palette(struct image *image, const uint8_t *at, unsigned length) {
    static uint8_t colours[3 * COLOURS];
    if (image->colours || length % 3 || length == 0 || length > sizeof colours)
        return 0;
    image->palette = colours;
    image->colours = length / 3;
    for (unsigned i = 0; i < length; i++)
        colours[i] = at[i];
    return 1;
}

static int pixels(struct image *image, const uint8_t *at, unsigned length) {
    unsigned bytes = image->depth / 8;
    uint16_t size = (uint16_t)(image->width * image->height * bytes); // BUG: 16 bits
    if (size == 0 || size > PIXELS || length == 0)
        return 0;
    unsigned last = (image->width * image->height - 1) * bytes;
    image->pixels[last] = at[length - 1];
    if (image->colours && bytes == 1) {
        const uint8_t *colour = image->palette + 3 * (at[0] & 3); // BUG: there are three at most
        if (colour[0] + colour[1] + colour[2] > 700)
            image->frames += 2;
    }
    image->frames++;
    return 1;
}

static int decode(const uint8_t *at) {
    struct image image = {0};
    if (!header(&image, at))
        return 1;
    unsigned place = HEADER;
    while (place + 2 <= SIZE) {
        unsigned type = at[place], length = at[place + 1];
        place += 2;
        if (length > SIZE - place)
            return 2;
        const uint8_t *chunk = at + place;
        place += length;
        if (type == 'P' && !palette(&image, chunk, length))
            return 3;
        if (type == 'D' && !pixels(&image, chunk, length))
            return 4;
        if (type == 'E')
            break;
    }
    return image.frames ? 0 : 5;
}

int main(void) {
    uint8_t file[SIZE];
    klee_make_symbolic(file, sizeof file, "file");
    return decode(file);
}
