// Two loops with an error in each: figure 5 of Memoise (Yang, Pasareanu and Khurshid, 2012).
//
// Error 1 takes 101 branches, error 2 takes 54. When a shallow exploration has met the second one, every path that has
// left the first loop is of no more use.
#include <assert.h>
#include <klee/klee.h>

static void loops(int x, int y) {
    int c = 0, p = 0;
    while (x > 0) {
        assert(c != 100 && "error 1");
        c++;
        x--;
    }
    while (y > 0) {
        assert(!(p == 50 && c == 2) && "error 2");
        p++;
        y--;
    }
}

int main(void) {
    int x, y;
    klee_make_symbolic(&x, sizeof x, "x");
    klee_make_symbolic(&y, sizeof y, "y");
    loops(x, y);
    return 0;
}
