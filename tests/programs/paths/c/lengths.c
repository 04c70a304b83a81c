// inputs: n=0..9 k=0..1
// paths: 6
// sanitize: address
// finer: yes (each length is a path within memset and memcpy)
// Lengths that depend on input: all that are too large are one error, and none touches nothing, whatever the pointers.
#include <klee/klee.h>
#include <string.h>

int main(void) {
    unsigned n;
    klee_make_symbolic(&n, sizeof n, "n");
    klee_assume(n < 10);
    int k = klee_range(0, 2, "k");
    char to[6] = "12345", from[4] = "abc";
    if (k) {
        memset(to, 'x', n);
        if (to[3] == 'x') return 1;
        return 2;
    }
    memcpy(n ? to : 0, n ? from : 0, n);
    if (to[0] == 'a') return 3;
    return 4;
}
