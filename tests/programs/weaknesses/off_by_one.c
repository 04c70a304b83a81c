// CWE-193: lines of standard input are kept in a table with one entry less than are counted.
// run: --sym-stdin 6
// error: out-of-bounds write
#include <stdio.h>

#define LINES 4

int main(void) {
    long starts[LINES];
    int lines = 0, at = 0, c;
    while ((c = getchar()) != EOF) {
        at++;
#ifdef GOOD
        if (c == '\n' && lines < LINES)
#else
        if (c == '\n' && lines <= LINES)
#endif
            starts[lines++] = at;
    }
    return lines ? starts[0] > 3 : 2;
}
