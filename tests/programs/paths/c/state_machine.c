// inputs: s[4]='/','*','x'
// paths: 29
// A comment scanner with jumps: `/*`, anything, `*/`.
#include <klee/klee.h>

int main(void) {
    char s[4];
    klee_make_symbolic(s, 4, "s");
    for (int i = 0; i < 4; i++) klee_assume((s[i] == '/') | (s[i] == '*') | (s[i] == 'x'));
    int at = 0, comments = 0;
code:
    if (at == 4) goto done;
    if (s[at++] == '/') goto slash;
    goto code;
slash:
    if (at == 4) goto done;
    if (s[at] == '*') {
        at++;
        goto comment;
    }
    goto code;
comment:
    if (at == 4) return 2;
    if (s[at++] == '*') goto star;
    goto comment;
star:
    if (at == 4) return 3;
    switch (s[at++]) {
    case '/': comments++; goto code;
    case '*': goto star;
    default: goto comment;
    }
done:
    return comments;
}
