// CWE-416: one command of standard input frees what the next one uses.
// run: --sym-stdin 4
// error: use after free, double free
#include <stdio.h>
#include <stdlib.h>

int main(void) {
    int *counter = calloc(1, sizeof *counter);
    if (!counter)
        return 1;
    int command;
    while ((command = getchar()) != EOF)
        switch (command) {
        case '+':
            if (counter)
                ++*counter;
            break;
        case 'd':
            free(counter);
#ifdef GOOD
            counter = NULL;
#endif
            break;
        case 'n':
            if (!counter)
                counter = calloc(1, sizeof *counter);
#ifndef GOOD
            else
                return *counter;
#endif
            break;
        default:
#ifdef GOOD
            free(counter);
#endif
            return 0;
        }
#ifdef GOOD
    free(counter);
#endif
    return 0;
}
