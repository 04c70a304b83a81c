// Video in RIFF: AviParser of MuSE's table 2 (Zhang, Chen, Shuai and others, 2020), which is part of a Java library;
// this one is written anew from Microsoft's description of AVI 1.0.
//
// Lists in lists: the main header, a header and a format for each stream of video, sound or text, junk, chunks of
// data, by themselves and in groups, and the index, whose entries must be where it says. What is wrong first is
// returned, or 0. The valid file below is the first input: see ../README.md.
#include <klee/klee.h>

// One stream of 2 by 2 pixels, with 2 frames that are not compressed.
static unsigned char file[] = {
    'R', 'I', 'F', 'F', 48, 1, 0, 0, 'A', 'V', 'I', ' ',
    'L', 'I', 'S', 'T', 192, 0, 0, 0, 'h', 'd', 'r', 'l',
    'a', 'v', 'i', 'h', 56, 0, 0, 0, 64, 156, 0, 0, 144, 1, 0, 0, 0, 0, 0, 0, 16, 0, 0, 0, 2, 0, 0, 0, 0, 0, 0, 0,
    1, 0, 0, 0, 16, 0, 0, 0, 2, 0, 0, 0, 2, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
    'L', 'I', 'S', 'T', 116, 0, 0, 0, 's', 't', 'r', 'l',
    's', 't', 'r', 'h', 56, 0, 0, 0, 'v', 'i', 'd', 's', 'D', 'I', 'B', ' ', 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
    1, 0, 0, 0, 25, 0, 0, 0, 0, 0, 0, 0, 2, 0, 0, 0, 16, 0, 0, 0, 255, 255, 255, 255, 0, 0, 0, 0,
    0, 0, 0, 0, 2, 0, 2, 0,
    's', 't', 'r', 'f', 40, 0, 0, 0, 40, 0, 0, 0, 2, 0, 0, 0, 2, 0, 0, 0, 1, 0, 24, 0, 0, 0, 0, 0, 16, 0, 0, 0,
    0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
    'L', 'I', 'S', 'T', 52, 0, 0, 0, 'm', 'o', 'v', 'i',
    '0', '0', 'd', 'b', 16, 0, 0, 0, 1, 2, 3, 4, 5, 6, 0, 0, 7, 8, 9, 10, 11, 12, 0, 0,
    '0', '0', 'd', 'b', 16, 0, 0, 0, 12, 11, 10, 9, 8, 7, 0, 0, 6, 5, 4, 3, 2, 1, 0, 0,
    'i', 'd', 'x', '1', 32, 0, 0, 0,
    '0', '0', 'd', 'b', 16, 0, 0, 0, 4, 0, 0, 0, 16, 0, 0, 0,
    '0', '0', 'd', 'b', 16, 0, 0, 0, 28, 0, 0, 0, 16, 0, 0, 0,
};

enum { SIZE = sizeof file, STREAMS = 4, HAS_INDEX = 0x10 };

enum fault {
    VALID,
    NO_RIFF,
    NO_AVI,
    WRONG_SIZE,
    TRUNCATED,
    UNKNOWN_LIST,
    NO_HEADERS,
    REPEATED_HEADER,
    SHORT_HEADER,
    WRONG_RATE,
    WRONG_FLAGS,
    WRONG_DIMENSIONS,
    TOO_MANY_STREAMS,
    UNKNOWN_STREAM,
    WRONG_SCALE,
    WRONG_FRAME,
    NO_STREAM_HEADER,
    NO_FORMAT,
    WRONG_BITMAP,
    WRONG_DEPTH,
    WRONG_COMPRESSION,
    WRONG_SOUND,
    MISSING_STREAMS,
    WRONG_CHUNK,
    WRONG_STREAM,
    WRONG_KIND,
    NO_MOVIE,
    WRONG_INDEX,
    NO_INDEX,
    WRONG_LENGTH,
};

#define NAME(a, b, c, d) ((unsigned)(a) | (unsigned)(b) << 8 | (unsigned)(c) << 16 | (unsigned)(d) << 24)

enum kind { VIDEO = 1, SOUND, TEXT, MIDI };

static struct {
    enum kind kind;
    int has_format, compressed;
    unsigned length, frames, largest;
} streams[STREAMS];

static struct {
    int has_header, has_headers, has_index;
    unsigned flags, length, width, height, streams, movie;
} video;

static unsigned found;  // streams

static unsigned u16(unsigned at) { return file[at] | (unsigned)file[at + 1] << 8; }

static unsigned u32(unsigned at) { return u16(at) | u16(at + 2) << 16; }

static int is_list(unsigned name) { return name == NAME('L', 'I', 'S', 'T'); }

// The same number, once it is counted: from here on it is no more an input, and there is a path for each.
static unsigned counted(unsigned number) {
    unsigned count = 0;
    while (count < number)
        count++;
    return count;
}

// The name and the size of the chunk at `at`, which must end before `end`.
static enum fault open_chunk(unsigned at, unsigned end, unsigned *name, unsigned *size) {
    if (end - at < 8)
        return TRUNCATED;
    *name = u32(at);
    if (u32(at + 4) > end - at - 8)
        return TRUNCATED;
    *size = counted(u32(at + 4));
    return is_list(*name) && *size < 4 ? SHORT_HEADER : VALID;
}

static unsigned behind(unsigned at, unsigned size) { return at + 8 + size + size % 2; }

static enum fault read_main_header(unsigned at, unsigned size) {
    if (video.has_header)
        return REPEATED_HEADER;
    if (size < 56)
        return SHORT_HEADER;
    video.has_header = 1;
    if (u32(at) == 0)  // microseconds a frame
        return WRONG_RATE;
    video.flags = u32(at + 12);
    if (video.flags & ~0x30930u)
        return WRONG_FLAGS;
    video.length = u32(at + 16);
    video.streams = u32(at + 24);
    if (video.streams == 0 || video.streams > STREAMS)
        return TOO_MANY_STREAMS;
    video.width = u32(at + 32);
    video.height = u32(at + 36);
    return video.width && video.height && video.width <= 4096 && video.height <= 4096 ? VALID : WRONG_DIMENSIONS;
}

static enum fault read_stream_header(unsigned at, unsigned size) {
    if (streams[found].kind)
        return REPEATED_HEADER;
    if (size < 48)
        return SHORT_HEADER;
    switch (u32(at)) {
    case NAME('v', 'i', 'd', 's'):
        streams[found].kind = VIDEO;
        break;
    case NAME('a', 'u', 'd', 's'):
        streams[found].kind = SOUND;
        break;
    case NAME('t', 'x', 't', 's'):
        streams[found].kind = TEXT;
        break;
    case NAME('m', 'i', 'd', 's'):
        streams[found].kind = MIDI;
        break;
    default:
        return UNKNOWN_STREAM;
    }
    if (u32(at + 20) == 0 || u32(at + 24) == 0)  // a second is the second of the first
        return WRONG_SCALE;
    streams[found].length = u32(at + 32);
    if (size >= 56 && streams[found].kind == VIDEO)
        if (u16(at + 52) < u16(at + 48) || u16(at + 54) < u16(at + 50) || u16(at + 52) > video.width)
            return WRONG_FRAME;
    return VALID;
}

static enum fault read_bitmap(unsigned at, unsigned size) {
    if (size < 40 || u32(at) < 40 || u32(at) > size)
        return SHORT_HEADER;
    if (u32(at + 4) != video.width || (u32(at + 8) != video.height && 0 - u32(at + 8) != video.height))
        return WRONG_DIMENSIONS;
    if (u16(at + 12) != 1)
        return WRONG_BITMAP;
    unsigned depth = u16(at + 14), colours = u32(at + 32);
    switch (u32(at + 16)) {
    case 0:
        if (depth == 8) {
            if (colours > 256 || u32(at) + 4 * (colours ? colours : 256) > size)
                return WRONG_BITMAP;
        } else if (depth != 16 && depth != 24 && depth != 32)
            return WRONG_DEPTH;
        return VALID;
    case 1:
        streams[found].compressed = 1;
        return depth == 8 ? VALID : WRONG_DEPTH;
    case NAME('M', 'J', 'P', 'G'):
        streams[found].compressed = 1;
        return depth == 24 ? VALID : WRONG_DEPTH;
    case NAME('Y', 'U', 'Y', '2'):
    case NAME('U', 'Y', 'V', 'Y'):
        if (video.width % 2)
            return WRONG_DIMENSIONS;
        return depth == 16 ? VALID : WRONG_DEPTH;
    }
    return WRONG_COMPRESSION;
}

static enum fault read_sound(unsigned at, unsigned size) {
    if (size < 16)
        return SHORT_HEADER;
    unsigned channels = u16(at + 2), depth = u16(at + 14);
    if (channels != 1 && channels != 2)
        return WRONG_SOUND;
    if (u32(at + 4) == 0 || u32(at + 8) < u32(at + 4))
        return WRONG_RATE;
    if (u16(at) != 1)
        return size >= 18 && u16(at + 16) <= size - 18 ? VALID : WRONG_SOUND;
    if (depth == 8)
        return u16(at + 12) == channels ? VALID : WRONG_SOUND;
    return depth == 16 && u16(at + 12) == 2 * channels ? VALID : WRONG_SOUND;
}

static enum fault read_format(unsigned at, unsigned size) {
    if (!streams[found].kind)
        return NO_STREAM_HEADER;
    if (streams[found].has_format)
        return REPEATED_HEADER;
    streams[found].has_format = 1;
    if (streams[found].kind == VIDEO)
        return read_bitmap(at, size);
    return streams[found].kind == SOUND ? read_sound(at, size) : VALID;
}

static enum fault read_stream(unsigned at, unsigned end) {
    enum fault fault;
    if (!video.has_header)
        return NO_HEADERS;
    if (found == video.streams)
        return TOO_MANY_STREAMS;
    for (unsigned name, size; at < end; at = behind(at, size)) {
        if ((fault = open_chunk(at, end, &name, &size)))
            return fault;
        if (name == NAME('s', 't', 'r', 'h'))
            fault = read_stream_header(at + 8, size);
        else if (name == NAME('s', 't', 'r', 'f'))
            fault = read_format(at + 8, size);
        else if (name == NAME('s', 't', 'r', 'n') && (size == 0 || file[at + 8 + size - 1]))
            fault = WRONG_CHUNK;  // a name ends with a zero
        if (fault)
            return fault;
    }
    if (!streams[found].has_format)
        return NO_FORMAT;
    found++;
    return VALID;
}

static enum fault read_headers(unsigned at, unsigned end) {
    enum fault fault;
    if (video.has_headers)
        return REPEATED_HEADER;
    for (unsigned name, size; at < end; at = behind(at, size)) {
        if ((fault = open_chunk(at, end, &name, &size)))
            return fault;
        if (name == NAME('a', 'v', 'i', 'h'))
            fault = read_main_header(at + 8, size);
        else if (is_list(name) && u32(at + 8) == NAME('s', 't', 'r', 'l'))
            fault = read_stream(at + 12, at + 8 + size);
        if (fault)
            return fault;
    }
    if (!video.has_header)
        return NO_HEADERS;
    video.has_headers = 1;
    return found == video.streams ? VALID : MISSING_STREAMS;
}

// What the two letters behind the stream's number must be.
static enum fault check_kind(unsigned stream, unsigned char a, unsigned char b) {
    if (a == 'd' && b == 'b')
        return streams[stream].kind == VIDEO && !streams[stream].compressed ? VALID : WRONG_KIND;
    if ((a == 'd' && b == 'c') || (a == 'p' && b == 'c'))
        return streams[stream].kind == VIDEO ? VALID : WRONG_KIND;
    if (a == 'w' && b == 'b')
        return streams[stream].kind == SOUND ? VALID : WRONG_KIND;
    return a == 't' && b == 'x' && streams[stream].kind == TEXT ? VALID : WRONG_KIND;
}

static enum fault read_data(unsigned at, unsigned size) {
    if (file[at] != '0' || file[at + 1] < '0' || file[at + 1] > '9')
        return WRONG_CHUNK;
    for (unsigned i = 0; i < found; i++)
        if (file[at + 1] - '0' == (int)i) {
            streams[i].frames++;
            if (size > streams[i].largest)
                streams[i].largest = size;
            return check_kind(i, file[at + 2], file[at + 3]);
        }
    return WRONG_STREAM;
}

// Groups of chunks are lists in the list; `groups` is how deep they may be.
static enum fault read_movie(unsigned at, unsigned end, int groups) {
    enum fault fault;
    for (unsigned name, size; at < end; at = behind(at, size)) {
        if ((fault = open_chunk(at, end, &name, &size)))
            return fault;
        if (is_list(name)) {
            if (u32(at + 8) != NAME('r', 'e', 'c', ' ') || groups == 0)
                return UNKNOWN_LIST;
            fault = read_movie(at + 12, at + 8 + size, groups - 1);
        } else if (name != NAME('J', 'U', 'N', 'K'))
            fault = read_data(at, size);
        if (fault)
            return fault;
    }
    return VALID;
}

// Places are told from the name of the list on, or from the beginning of the file.
static enum fault read_index(unsigned at, unsigned size) {
    if (!video.movie)
        return NO_MOVIE;
    if (size % 16)
        return WRONG_INDEX;
    unsigned base = size && u32(at + 8) < video.movie ? video.movie : 0;
    for (unsigned entry = at; entry < at + size; entry += 16) {
        unsigned place = u32(entry + 8);
        if (place > SIZE - 8 - base)
            return WRONG_INDEX;
        if (u32(entry) != u32(base + place) || u32(entry + 12) != u32(base + place + 4))
            return WRONG_INDEX;
    }
    video.has_index = 1;
    return VALID;
}

static enum fault read_part(unsigned at, unsigned name, unsigned size) {
    if (name == NAME('i', 'd', 'x', '1'))
        return read_index(at + 8, size);
    if (!is_list(name))
        return VALID;
    switch (u32(at + 8)) {
    case NAME('h', 'd', 'r', 'l'):
        return read_headers(at + 12, at + 8 + size);
    case NAME('m', 'o', 'v', 'i'):
        if (!video.has_headers)
            return NO_HEADERS;
        video.movie = at + 8;
        return read_movie(at + 12, at + 8 + size, 1);
    case NAME('I', 'N', 'F', 'O'):
        return VALID;
    }
    return UNKNOWN_LIST;
}

static enum fault parse(void) {
    enum fault fault;
    if (u32(0) != NAME('R', 'I', 'F', 'F'))
        return NO_RIFF;
    if (u32(4) != SIZE - 8)
        return WRONG_SIZE;
    if (u32(8) != NAME('A', 'V', 'I', ' '))
        return NO_AVI;
    for (unsigned at = 12, name, size; at < SIZE; at = behind(at, size))
        if ((fault = open_chunk(at, SIZE, &name, &size)) || (fault = read_part(at, name, size)))
            return fault;
    if (!video.movie)
        return NO_MOVIE;
    if (video.flags & HAS_INDEX && !video.has_index)
        return NO_INDEX;
    for (unsigned i = 0; i < found; i++)
        if (streams[i].kind == VIDEO && streams[i].frames != streams[i].length)
            return WRONG_LENGTH;
    return VALID;
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
