/* What a native program is given in place of the engine: inputs come from a test, and the blocks it runs are noted, so that a run of the
   machine can be compared with it. Everything is weak: a program that brings functions of these names keeps its own.

   What it stands for, and how inputs are named, is written in one place for all (`machine/src/abi`): names.c and functions.c are made there.

   REFRAIN_REPLAY_TEST names the test, in KLEE's format. REFRAIN_REPLAY_REPORT names a file, which is shared with whoever started this
   program, so that what is noted survives any end of it:

     0: verdict  8: blocks  16: hash  24: the number of blocks at which the next is taken  32: hash there  40: inputs used
     48: where __sanitizer_cov_trace_pc_guard is  56: how many different blocks there are
     64: a message  1024: the numbers of the first blocks, 4 bytes each
     then, for the first of the different blocks: the address of its guard, and one in its code, 8 bytes each */

#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#define WEAK __attribute__((weak, visibility("default")))
#define UNCHECKED __attribute__((no_sanitize("address", "undefined")))

enum { FINE, CONTRADICTION, OTHER_INPUT, SILENT, IMPOSSIBLE, BROKEN };
enum { MESSAGE = 64, MESSAGE_END = 1000, BLOCKS = 1024, KEPT = 1 << 20, KEPT_DIFFERENT = 1 << 16, STATUS = 125 };
enum { DIFFERENT = BLOCKS + 4 * KEPT, SIZE = DIFFERENT + 16 * KEPT_DIFFERENT };

struct object {
    const char *name;
    uint32_t name_len, len;
    const unsigned char *bytes;
};

static struct {
    int ready;
    unsigned char *report;
    struct object *objects;
    uint32_t count;
    uint32_t next; /* a program makes its inputs in the order of the test */
    uint64_t random;
} replay;

static void set_up(void);

/* The places of numbers in the report. */
static uint64_t *word(size_t at) { return (uint64_t *)(replay.report + at); }

__attribute__((noreturn, format(printf, 2, 3))) static void stop(int verdict, const char *format, ...) {
    if (replay.report) {
        va_list arguments;
        va_start(arguments, format);
        vsnprintf((char *)replay.report + MESSAGE, MESSAGE_END - MESSAGE, format, arguments);
        va_end(arguments);
        *word(0) = (uint64_t)verdict;
    }
    _exit(STATUS);
}

static int take(const unsigned char **at, const unsigned char *end, uint32_t *number) {
    if (end - *at < 4) return 0;
    *number = (uint32_t)(*at)[0] << 24 | (uint32_t)(*at)[1] << 16 | (uint32_t)(*at)[2] << 8 | (*at)[3];
    *at += 4;
    return 1;
}

static int block(const unsigned char **at, const unsigned char *end, const unsigned char **bytes, uint32_t *len) {
    if (!take(at, end, len) || (size_t)(end - *at) < *len) return 0;
    *bytes = *at;
    *at += *len;
    return 1;
}

static void read_test(const char *path) {
    struct stat data;
    int file = open(path, O_RDONLY | O_CLOEXEC);
    if (file < 0 || fstat(file, &data) != 0) stop(BROKEN, "the test %s cannot be read", path);
    size_t size = (size_t)data.st_size;
    const unsigned char *at = mmap(NULL, size ? size : 1, PROT_READ, MAP_PRIVATE, file, 0);
    close(file);
    const unsigned char *end = at + size, *bytes;
    uint32_t version, many, len;
    if (at == MAP_FAILED || size < 5 || memcmp(at, "KTEST", 5) != 0) stop(BROKEN, "%s is no test", path);
    at += 5;
    if (!take(&at, end, &version) || !take(&at, end, &many)) stop(BROKEN, "%s is truncated", path);
    for (; many > 0; many--)
        if (!block(&at, end, &bytes, &len)) stop(BROKEN, "%s is truncated", path);
    if (!take(&at, end, &len) || !take(&at, end, &len) || !take(&at, end, &many)) stop(BROKEN, "%s is truncated", path);
    /* No object takes less than 8 bytes of the file. */
    if (many > size / 8) stop(BROKEN, "%s is truncated", path);
    replay.objects = calloc(many ? many : 1, sizeof *replay.objects);
    if (!replay.objects) stop(BROKEN, "no memory for %u inputs", many);
    for (replay.count = 0; replay.count < many; replay.count++) {
        struct object *object = &replay.objects[replay.count];
        if (!block(&at, end, (const unsigned char **)&object->name, &object->name_len) ||
            !block(&at, end, &object->bytes, &object->len))
            stop(BROKEN, "%s is truncated", path);
    }
}

UNCHECKED static void set_up(void) {
    if (replay.ready) return;
    replay.ready = 1;
    const char *test = getenv("REFRAIN_REPLAY_TEST"), *report = getenv("REFRAIN_REPLAY_REPORT");
    if (report) {
        int file = open(report, O_RDWR | O_CLOEXEC);
        void *shared = MAP_FAILED;
        if (file >= 0) {
            shared = mmap(NULL, SIZE, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
            close(file);
        }
        if (shared != MAP_FAILED) replay.report = shared;
    }
    if (test) read_test(test);
    /* The program sees the environment that the machine shows it. */
    unsetenv("REFRAIN_REPLAY_TEST");
    unsetenv("REFRAIN_REPLAY_REPORT");
}

__attribute__((constructor(101))) static void at_start(void) { set_up(); }

#include "names.c"

/* Gives the bytes of the next input that is to be called so. */
static void refrain_fill(void *to, unsigned long len, const char *wanted) {
    set_up();
    const char *name = refrain_name(wanted);
    size_t name_len = strlen(name);
    for (uint32_t looked = 0; looked < replay.count; looked++, replay.next++) {
        const struct object *object = &replay.objects[replay.next % replay.count];
        if (object->name_len != name_len || memcmp(object->name, name, name_len) != 0) continue;
        if (object->len != len)
            stop(OTHER_INPUT, "the input %s has %lu bytes, and %u in the test", name, len, object->len);
        if (replay.report) *word(40) += 1;
        memcpy(to, object->bytes, len);
        return;
    }
    stop(OTHER_INPUT, "there is no input %s in the test", name);
}

/* How long an input is in the test, for whoever makes it. */
WEAK unsigned long refrain_input_size(const char *name) {
    set_up();
    for (uint32_t i = 0; i < replay.count; i++) {
        const struct object *object = &replay.objects[i];
        if (object->name_len == strlen(name) && memcmp(object->name, name, object->name_len) == 0) return object->len;
    }
    stop(OTHER_INPUT, "there is no input %s in the test", name);
}

static const char *refrain_named(const char *name) { return name && *name ? name : "unnamed"; }
static void refrain_contradict(const char *what) { stop(CONTRADICTION, "%s", what); }
static void refrain_cannot(const char *what) { stop(IMPOSSIBLE, "%s", what); }
static void refrain_silent(void) { stop(SILENT, "the program ends its run silently"); }
static void refrain_say(const char *front, const char *text) { fprintf(stderr, "%s%s\n", front, text ? text : ""); }
static void refrain_say_number(const char *name, long value) { fprintf(stderr, "%s: %ld\n", name ? name : "", value); }

/* klee_make_symbolic and all the others. */
#include "functions.c"

/* Bytes that look random, and are those of the machine: what is hashed with them comes in the same order. */
static void random_bytes(unsigned char *to, size_t len) {
    for (size_t at = 0; at < len; at += 8) {
        replay.random += 0x9e3779b97f4a7c15u;
        uint64_t bits = replay.random;
        bits = (bits ^ bits >> 30) * 0xbf58476d1ce4e5b9u;
        bits = (bits ^ bits >> 27) * 0x94d049bb133111ebu;
        bits ^= bits >> 31;
        memcpy(to + at, &bits, len - at < 8 ? len - at : 8);
    }
}

WEAK ssize_t getrandom(void *to, size_t len, unsigned flags) {
    (void)flags;
    if (len > 1 << 25) len = 1 << 25;
    random_bytes(to, len);
    return (ssize_t)len;
}

WEAK int getentropy(void *to, size_t len) {
    if (len > 256) {
        errno = EIO;
        return -1;
    }
    random_bytes(to, len);
    return 0;
}

#ifndef REFRAIN_NO_TRACE
void __sanitizer_cov_trace_pc_guard_init(uint32_t *start, uint32_t *stop) { (void)start, (void)stop; }

/* A guard holds its block's number once it has one: blocks are counted as they are first seen. */
void __sanitizer_cov_trace_pc_guard(uint32_t *guard) {
    if (!replay.ready) set_up();
    if (!replay.report) return;
    if (!*guard) {
        uint64_t different = *word(56);
        if (different < KEPT_DIFFERENT) {
            *word(DIFFERENT + 16 * different) = (uint64_t)(uintptr_t)guard;
            *word(DIFFERENT + 16 * different + 8) = (uint64_t)(uintptr_t)__builtin_return_address(0);
        }
        *word(48) = (uint64_t)(uintptr_t)&__sanitizer_cov_trace_pc_guard;
        *word(56) = ++different;
        *guard = (uint32_t)different;
    }
    uint64_t count = *word(8);
    if (count < KEPT) memcpy(replay.report + BLOCKS + 4 * count, guard, 4);
    uint64_t hash = count ? *word(16) : 0xcbf29ce484222325u;
    hash = (hash ^ *guard) * 0x100000001b3u;
    *word(16) = hash;
    *word(8) = ++count;
    if (count == *word(24)) *word(32) = hash;
}
#endif
