// Cuts fields out of lines, as cut does: the list of fields is an argument. A range without an end beyond the table
// is marked to where the table ends, and one more.
// run: --sym-arg 3 --sym-stdin 4
// error: out-of-bounds write
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MOST 9

int main(int argc, char **argv) {
    char is_wanted[MOST];
    memset(is_wanted, 0, sizeof is_wanted);
    for (const char *at = argv[1]; *at;) {
        if (*at < '1' || *at > '9')
            return 1;
        int first = *at++ - '0', last = first;
        if (*at == '-') {
            at++;
            if (*at >= '1' && *at <= '9')
                last = *at++ - '0';
            else
#ifdef GOOD
                last = MOST;
#else
                last = MOST + 1;
#endif
        }
        for (int i = first; i <= last; i++)
            is_wanted[i - 1] = 1;
        if (*at == ',')
            at++;
    }
    int field = 1, c;
    while ((c = getchar()) != EOF) {
        if (c == '\n')
            field = 1;
        else if (c == ' ')
            field++;
        else if (field <= MOST && is_wanted[field - 1])
            putchar(c);
    }
    return 0;
}
