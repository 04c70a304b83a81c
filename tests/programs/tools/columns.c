// Joins the lines of a file by the characters of a list, as paste does. A backslash at the end of the list escapes
// the zero behind it, and the list goes on with what lies there.
// run: --sym-arg 2 --sym-file A=3
// error: out-of-bounds read
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static char *delimiters;
static size_t count;

static int collapse(const char *list) {
    char *out = delimiters = malloc(strlen(list) + 1);
    if (!out)
        return -1;
    while (*list) {
        if (*list == '\\') {
            list++;
            switch (*list) {
            case 'n': *out++ = '\n'; break;
            case 't': *out++ = '\t'; break;
            case '0': *out++ = '\0'; break;
#ifdef GOOD
            case '\0': return -1;
#endif
            default: *out++ = *list; break;
            }
            list++;
        } else {
            *out++ = *list++;
        }
    }
    count = (size_t)(out - delimiters);
    return 0;
}

int main(int argc, char **argv) {
    if (collapse(argv[1]) != 0) {
        fprintf(stderr, "delimiter list ends with an unescaped backslash\n");
        return 2;
    }
    FILE *file = fopen("A", "r");
    if (!file)
        return 2;
    size_t next = 0;
    int c;
    while ((c = fgetc(file)) != EOF)
        if (c == '\n' && count)
            putchar(delimiters[next++ % count]);
        else
            putchar(c);
    fclose(file);
    free(delimiters);
    return 0;
}
