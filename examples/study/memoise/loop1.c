// One loop and two errors, one in the loop and one behind it: figure 4 of Memoise (Yang, Pasareanu and Khurshid, 2012),
// which is an example of Godefroid and Luchaup (2011).
//
// Each bound on the depth leaves one path that could go on, so there is nothing to choose for whoever explores deeper.
#include <assert.h>
#include <klee/klee.h>

static void loop(int x) {
    int c = 0, p = 0;
    while (x > 0) {
        assert(c != 50 && "error 1");
        c++;
        p += c;
        x--;
    }
    assert(c != 30 && "error 2");
}

int main(void) {
    int x;
    klee_make_symbolic(&x, sizeof x, "x");
    loop(x);
    return 0;
}
