// inputs: s[4]='a','b','.'
// paths: 7
// Some runs end without a word, in the middle of a loop and below other calls: they are no paths.
#include <klee/klee.h>

static void check(char c) {
    if (c == 'b') klee_silent_exit(1);
}

static int length(const char *s) {
    int n = 0;
    for (; n < 4 && s[n] != '.'; n++) {
        if (n % 2 == 1) check(s[n]);
    }
    return n;
}

int main(void) {
    char s[4];
    klee_make_symbolic(s, sizeof s, "s");
    for (int i = 0; i < 4; i++) klee_assume((s[i] == 'a') | (s[i] == 'b') | (s[i] == '.'));
    int n = length(s);
    if (n == 3) klee_silent_exit(0);
    if (n > 0 && s[0] == 'b') return 10;
    return n;
}
