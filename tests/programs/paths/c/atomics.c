// inputs: old=0..3 wanted=0..3 by=0..3
// paths: 5
// Atomic operations on symbolic values: one that exchanges if it finds what it expects.
#include <klee/klee.h>
#include <stdatomic.h>

int main(void) {
    int old = klee_range(0, 4, "old"), wanted = klee_range(0, 4, "wanted"), by = klee_range(0, 4, "by");
    _Atomic int value = old;
    int expected = wanted;
    if (atomic_compare_exchange_strong(&value, &expected, 7)) {
        if (value != 7 || old != wanted) return 1; /* never */
        int before = atomic_fetch_sub(&value, by);
        if (before - by < 6) return 2;
        return 3;
    }
    if (expected != old) return 4; /* never */
    int before = atomic_fetch_xor(&value, by);
    if (before != old) return 5; /* never */
    if (value == wanted) return 6;
    atomic_fetch_or(&value, 4);
    if (atomic_exchange(&value, 0) == 7) return 7;
    if (value) return 8;
    return 9;
}
