// The one-page matcher of regular expressions, on a pattern of any SIZE bytes.
//
// Nothing says that the pattern ends with a zero byte, so the matcher runs past its end: two places in match_here
// read out of bounds. Look at the patterns in errors/ (`refrain show`): each is full of characters that have the
// matcher go on. Nearly every branch compares one byte with a constant, so nearly every question has been answered
// before: compare the solver's calls with the questions in stats.json.
#include <klee/klee.h>

#ifndef SIZE
#define SIZE 7
#endif

static int match_star(int c, char *re, char *text);

static int match_here(char *re, char *text) {
    if (re[0] == '\0')
        return 0;
    if (re[1] == '*')
        return match_star(re[0], re + 2, text);
    if (re[0] == '$' && re[1] == '\0')
        return *text == '\0';
    if (*text != '\0' && (re[0] == '.' || re[0] == *text))
        return match_here(re + 1, text + 1);
    return 0;
}

static int match_star(int c, char *re, char *text) {
    do {
        if (match_here(re, text))
            return 1;
    } while (*text != '\0' && (*text++ == c || c == '.'));
    return 0;
}

static int match(char *re, char *text) {
    if (re[0] == '^')
        return match_here(re + 1, text);
    do {
        if (match_here(re, text))
            return 1;
    } while (*text++ != '\0');
    return 0;
}

int main(void) {
    char re[SIZE];
    klee_make_symbolic(re, sizeof re, "re");
    match(re, "hello");
    return 0;
}
