// inputs: t[4]=0,'a','b'
// paths: 15
// The matcher of Kernighan and Pike: literals, dot, star, anchors.
#include <klee/klee.h>

static int match_here(const char *pattern, const char *text);

static int match_star(char c, const char *pattern, const char *text) {
    do {
        if (match_here(pattern, text)) return 1;
    } while (*text != '\0' && (*text++ == c || c == '.'));
    return 0;
}

static int match_here(const char *pattern, const char *text) {
    if (pattern[0] == '\0') return 1;
    if (pattern[1] == '*') return match_star(pattern[0], pattern + 2, text);
    if (pattern[0] == '$' && pattern[1] == '\0') return *text == '\0';
    if (*text != '\0' && (pattern[0] == '.' || pattern[0] == *text)) return match_here(pattern + 1, text + 1);
    return 0;
}

int main(void) {
    char t[5] = {0};
    klee_make_symbolic(t, 4, "t");
    for (int i = 0; i < 4; i++) klee_assume((t[i] == 0) | (t[i] == 'a') | (t[i] == 'b'));
    if (match_here("a*b$", t)) return 1;
    return match_here(".ab", t) ? 2 : 3;
}
