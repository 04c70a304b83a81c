// The first field of every line: `fields DELIMITERS`, where \t is a tab and \\ a backslash.
//
//     refrain run --sym-arg 1 --sym-stdin 0..2 --out fields examples/programs/fields.c
//
// A list that ends in a backslash is a mistake: what comes behind the argument is read, too.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static char *delimiters(const char *list) {
    char *result = malloc(strlen(list) + 1), *to = result;
    for (; *list; list++) {
        if (*list == '\\') {
            list++;
            *to++ = *list == 't' ? '\t' : *list;
        } else {
            *to++ = *list;
        }
    }
    *to = 0;
    return result;
}

int main(int argc, char **argv) {
    if (argc != 2) {
        fprintf(stderr, "fields DELIMITERS\n");
        return 2;
    }
    char *list = delimiters(argv[1]);
    int c, is_behind = 0;
    while ((c = getchar()) != EOF) {
        if (c == '\n') {
            is_behind = 0;
        } else if (c && strchr(list, c)) {
            is_behind = 1;
        }
        if (!is_behind) putchar(c);
    }
    free(list);
    return 0;
}
