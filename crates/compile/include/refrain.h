/* What a program can tell Refrain about its inputs. `klee/klee.h` has more of it, and is what these names stand on. */
#ifndef REFRAIN_H
#define REFRAIN_H

#include "klee/klee.h"

/* The bytes at `address` can have any value from now on. */
static inline void refrain_symbolic(void *address, size_t size, const char *name) {
    klee_make_symbolic(address, size, name);
}

/* Any integer. */
static inline int refrain_int(const char *name) {
    int value;
    klee_make_symbolic(&value, sizeof value, name);
    return value;
}

/* Any integer from `low` to `high`, both included. */
static inline int refrain_between(int low, int high, const char *name) {
    int value;
    klee_make_symbolic(&value, sizeof value, name);
    klee_assume((uintptr_t)(low <= value && value <= high));
    return value;
}

/* Only runs in which the condition holds go on. */
static inline void refrain_assume(int condition) { klee_assume((uintptr_t)(condition != 0)); }

/* A condition that every run has to satisfy. */
#define refrain_assert(condition) klee_assert(condition)

#endif
