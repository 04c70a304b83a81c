// C11 and macros: _Generic, _Static_assert, stringification, X-macros, inline functions, restrict, atomics, alignment, wide text.
#include <assert.h>
#include <stdalign.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <wchar.h>

#define KIND(x) _Generic((x), int: "int", unsigned: "unsigned", double: "double", float: "float", char *: "text", default: "other")
#define COLOURS(X) X(RED, 0xff0000) X(GREEN, 0x00ff00) X(BLUE, 0x0000ff)
#define AS_ENUM(name, value) name = value,
#define AS_CASE(name, value) case name: return #name;
#define JOIN_(a, b) a##b
#define JOIN(a, b) JOIN_(a, b)
#define MAX(a, b) ({ __typeof__(a) a_ = (a); __typeof__(b) b_ = (b); a_ > b_ ? a_ : b_; })

enum Colour { COLOURS(AS_ENUM) };
static const char *name(enum Colour c) { switch (c) { COLOURS(AS_CASE) } return "?"; }
_Static_assert(sizeof(int32_t) == 4, "an int32_t has four bytes");
static inline int square(int x) { return x * x; }
static void add(int n, int *restrict out, const int *restrict a) { for (int i = 0; i < n; i++) out[i] += a[i]; }

int main(void) {
    int JOIN(var, 1) = 5;
    printf("%s %s %s %s %s %s\n", KIND(1), KIND(1u), KIND(1.0), KIND(1.0f), KIND((char *)"x"), KIND(1L));
    printf("%s %s %x\n", name(GREEN), name((enum Colour)3), BLUE);
    int calls = 0;
    int most = MAX(calls++, -1);
    printf("%d %d %d\n", most, calls, square(var1));
    int a[4] = {1, 2, 3, 4}, b[4] = {10, 20, 30, 40};
    add(4, b, a);
    printf("%d %d\n", b[0], b[3]);
    atomic_int counter = 5;
    int expected = 8;
    atomic_fetch_add(&counter, 3);
    _Bool done = atomic_compare_exchange_strong(&counter, &expected, 100);
    printf("%d %d", done, atomic_load(&counter));
    printf(" %d\n", atomic_exchange(&counter, 1));
    atomic_fetch_or(&counter, 6);
    printf("%d\n", atomic_fetch_sub(&counter, 2));
    alignas(64) char buffer[3];
    printf("%d %zu\n", (int)((uintptr_t)buffer % 64), alignof(double));
    assert(done);
    wchar_t wide[] = L"wide text";
    printf("%zu %d\n", wcslen(wide), wide[1] == L'i');
    printf("%s %d\n", __func__, (int)(sizeof u8"\u00e4" - 1));
    return 0;
}
