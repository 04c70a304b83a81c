// inputs: s[4]=0,'a','b'
// paths: 19
// Own loops over the bytes of a string that need not end.
#include <klee/klee.h>

static int length(const char *s, int most) {
    int n = 0;
    while (n < most && s[n]) n++;
    return n;
}

static int starts_with(const char *s, const char *prefix) {
    for (; *prefix; s++, prefix++)
        if (*s != *prefix) return 0;
    return 1;
}

int main(void) {
    char s[4];
    klee_make_symbolic(s, sizeof s, "s");
    for (int i = 0; i < 4; i++) klee_assume((s[i] == 0) | (s[i] == 'a') | (s[i] == 'b'));
    int n = length(s, 4);
    if (n < 2) return 1;
    if (starts_with(s, "aba")) return 2;
    for (int i = 0; i + 1 < n; i++)
        if (s[i] == s[i + 1]) return 3;
    return 4;
}
