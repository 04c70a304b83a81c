/* What a native program is given in place of the engine: inputs come from a test, and the blocks it runs are noted, so that a run of the
   machine can be compared with it. Everything is weak: a program that brings functions of these names keeps its own.

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

struct used {
    struct used *next;
    char name[];
};

static struct {
    int ready;
    unsigned char *report;
    struct object *objects;
    uint32_t count;
    struct used *used[1024];
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

static struct used **is_used(const char *name) {
    uint32_t hash = 2166136261u;
    for (const char *at = name; *at; at++) hash = (hash ^ (unsigned char)*at) * 16777619u;
    struct used **slot = &replay.used[hash % 1024];
    while (*slot && strcmp((*slot)->name, name) != 0) slot = &(*slot)->next;
    return slot;
}

/* The next input of a name. One that was used before has a number: x, x_2, x_3. */
static const struct object *input(const char *name, uint64_t len) {
    set_up();
    size_t room = strlen(name) + 24;
    struct used *used = malloc(sizeof *used + room);
    if (!used) stop(BROKEN, "no memory for an input");
    used->next = NULL;
    strcpy(used->name, name);
    struct used **slot;
    for (uint64_t number = 2; *(slot = is_used(used->name)); number++)
        snprintf(used->name, room, "%s_%llu", name, (unsigned long long)number);
    *slot = used;
    for (uint32_t index = 0; index < replay.count; index++) {
        const struct object *object = &replay.objects[index];
        if (object->name_len != strlen(used->name) || memcmp(object->name, used->name, object->name_len) != 0) continue;
        if (object->len != len)
            stop(OTHER_INPUT, "the input %s has %llu bytes, and %u in the test", used->name, (unsigned long long)len,
                 object->len);
        if (replay.report) *word(40) += 1;
        return object;
    }
    stop(OTHER_INPUT, "there is no input %s in the test", used->name);
}

static uint64_t number(const char *name, uint64_t len) {
    uint64_t value = 0;
    memcpy(&value, input(name, len)->bytes, len);
    return value;
}

static const char *named(const char *name) { return name && *name ? name : "unnamed"; }

WEAK void klee_make_symbolic(void *address, size_t size, const char *name) {
    memcpy(address, input(named(name), size)->bytes, size);
}

WEAK void __VERIFIER_nondet_memory(void *address, size_t size) {
    memcpy(address, input("nondet_memory", size)->bytes, size);
}

WEAK void klee_assume(uintptr_t condition) {
    if (!condition) stop(CONTRADICTION, "an assumption does not hold");
}

WEAK void __VERIFIER_assume(int condition) { klee_assume((uintptr_t)condition); }

WEAK int klee_int(const char *name) { return (int)number(named(name), 4); }

WEAK int klee_range(int begin, int end, const char *name) {
    if (begin >= end) abort();
    int value = (int)number(named(name), 4);
    if (value < begin || value >= end) stop(CONTRADICTION, "the input %s is out of its range", named(name));
    return value;
}

WEAK uintptr_t klee_choose(uintptr_t count) {
    if (count == 0) abort();
    uint64_t value = number("klee_choose", 8);
    if (value >= count) stop(CONTRADICTION, "the input klee_choose is out of its range");
    return (uintptr_t)value;
}

WEAK unsigned klee_is_symbolic(uintptr_t value) { return (void)value, 0; }
WEAK unsigned klee_is_replay(void) { return 0; }
WEAK void klee_prefer_cex(void *object, uintptr_t condition) { (void)object, (void)condition; }
WEAK void klee_posix_prefer_cex(void *object, uintptr_t condition) { (void)object, (void)condition; }
WEAK void klee_mark_global(void *object) { (void)object; }
WEAK void klee_open_merge(void) {}
WEAK void klee_close_merge(void) {}
WEAK void klee_merge(void) {}
WEAK void klee_set_forking(unsigned enable) { (void)enable; }
WEAK void klee_alias_function(const char *name, const char *other) { (void)name, (void)other; }
WEAK void klee_check_memory_access(const void *address, size_t size) { (void)address, (void)size; }
WEAK void klee_stack_trace(void) {}
WEAK int klee_get_errno(void) { return errno; }

#define VALUE(name, type)                                                                                              \
    WEAK type name(type value) { return value; }
VALUE(klee_get_value_i8, int8_t)
VALUE(klee_get_value_i16, int16_t)
VALUE(klee_get_value_i32, int32_t)
VALUE(klee_get_value_i64, int64_t)
VALUE(klee_get_value_u8, uint8_t)
VALUE(klee_get_value_u16, uint16_t)
VALUE(klee_get_value_u32, uint32_t)
VALUE(klee_get_value_u64, uint64_t)
VALUE(klee_get_valuel, long)
VALUE(klee_get_valuell, long long)
VALUE(klee_get_valuef, float)
VALUE(klee_get_valued, double)
VALUE(klee_get_value_f, float)
VALUE(klee_get_value_d, double)
VALUE(klee_get_value_ptr, void *)

WEAK size_t klee_get_obj_size(void *object) {
    (void)object;
    stop(IMPOSSIBLE, "klee_get_obj_size has no native counterpart");
}

WEAK void klee_define_fixed_object(void *address, size_t size) {
    (void)address, (void)size;
    stop(IMPOSSIBLE, "klee_define_fixed_object has no native counterpart");
}

WEAK void klee_silent_exit(int status) {
    (void)status;
    stop(SILENT, "the program ends its run silently");
}

WEAK void klee_abort(void) { abort(); }

WEAK void klee_report_error(const char *file, int line, const char *message, const char *suffix) {
    fprintf(stderr, "%s:%d: %s (%s)\n", file ? file : "", line, message ? message : "", suffix ? suffix : "");
    abort();
}

WEAK void klee_warning(const char *message) { fprintf(stderr, "warning: %s\n", message); }
WEAK void klee_warning_once(const char *message) { klee_warning(message); }
WEAK void klee_print_expr(const char *message, ...) { fprintf(stderr, "%s\n", message); }
WEAK void klee_print_range(const char *name, int value) { fprintf(stderr, "%s: %d\n", name, value); }

WEAK void reach_error(void) { abort(); }
WEAK void __VERIFIER_error(void) { abort(); }
WEAK void __VERIFIER_assert(int condition) {
    if (!condition) abort();
}
WEAK void __VERIFIER_atomic_begin(void) {}
WEAK void __VERIFIER_atomic_end(void) {}

#define NONDET(name, type)                                                                                             \
    WEAK type __VERIFIER_nondet_##name(void) { return (type)number("nondet_" #name, sizeof(type)); }
WEAK _Bool __VERIFIER_nondet_bool(void) { return number("nondet_bool", 1) != 0; }
WEAK _Bool __VERIFIER_nondet__Bool(void) { return number("nondet__Bool", 1) != 0; }
NONDET(char, char)
NONDET(schar, signed char)
NONDET(uchar, unsigned char)
NONDET(unsigned_char, unsigned char)
NONDET(short, short)
NONDET(ushort, unsigned short)
NONDET(int, int)
NONDET(uint, unsigned)
NONDET(unsigned, unsigned)
NONDET(unsigned_int, unsigned)
NONDET(long, long)
NONDET(ulong, unsigned long)
NONDET(longlong, long long)
NONDET(ulonglong, unsigned long long)
NONDET(int8, int8_t)
NONDET(uint8, uint8_t)
NONDET(int16, int16_t)
NONDET(uint16, uint16_t)
NONDET(int32, int32_t)
NONDET(uint32, uint32_t)
NONDET(int64, int64_t)
NONDET(uint64, uint64_t)
NONDET(u8, uint8_t)
NONDET(u16, uint16_t)
NONDET(u32, uint32_t)
NONDET(u64, uint64_t)
NONDET(S8, int8_t)
NONDET(U8, uint8_t)
NONDET(U16, uint16_t)
NONDET(U32, uint32_t)
NONDET(size_t, size_t)
NONDET(ptrdiff_t, ptrdiff_t)
NONDET(loff_t, int64_t)
NONDET(sector_t, uint64_t)
NONDET(pthread_t, uint64_t)
NONDET(time_t, int64_t)
NONDET(charp, uintptr_t)
NONDET(pchar, uintptr_t)
NONDET(pointer, uintptr_t)
NONDET(const_char_pointer, uintptr_t)

WEAK float __VERIFIER_nondet_float(void) {
    float value;
    memcpy(&value, input("nondet_float", sizeof value)->bytes, sizeof value);
    return value;
}

WEAK double __VERIFIER_nondet_double(void) {
    double value;
    memcpy(&value, input("nondet_double", sizeof value)->bytes, sizeof value);
    return value;
}

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
