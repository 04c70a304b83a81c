// CWE-617: an assertion that input can violate.
// run: --sym-stdin 2
// error: assertion failure
#include <assert.h>
#include <stdio.h>

int main(void) {
    int depth = 0, c;
    while ((c = getchar()) != EOF) {
        if (c == '(')
            depth++;
        if (c == ')')
            depth--;
#ifdef GOOD
        if (depth < 0)
            return 1;
#endif
        assert(depth >= 0);
    }
    return depth != 0;
}
