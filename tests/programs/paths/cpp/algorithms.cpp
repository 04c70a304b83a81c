// inputs: a[3]=0..3 key=0..3
// paths: 42
// Sorting and searching with the algorithms of the library, which are compiled with the program.
#include <algorithm>
#include <array>
#include <klee/klee.h>

int main() {
    std::array<unsigned char, 3> a;
    klee_make_symbolic(a.data(), 3, "a");
    for (unsigned char x : a) klee_assume(x < 4);
    unsigned char key;
    klee_make_symbolic(&key, 1, "key");
    klee_assume(key < 4);
    std::sort(a.begin(), a.end());
    if (!std::is_sorted(a.begin(), a.end())) return 9; // never
    if (std::binary_search(a.begin(), a.end(), key)) return 1;
    return 0;
}
