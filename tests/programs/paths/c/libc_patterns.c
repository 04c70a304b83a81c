// inputs: s[4]=0,'a','b','x'
// paths: 7
// finer: yes (the library's own loops decide)
#include <fnmatch.h>
#include <klee/klee.h>
#include <regex.h>

int main(void) {
    char s[5] = {0};
    klee_make_symbolic(s, 4, "s");
    for (int i = 0; i < 4; i++) klee_assume((s[i] == 0) | (s[i] == 'a') | (s[i] == 'b') | (s[i] == 'x'));
    regex_t pattern;
    regmatch_t spans[2];
    regcomp(&pattern, "a(b|x)*$", REG_EXTENDED);
    if (regexec(&pattern, s, 2, spans, 0) == 0) {
        if (spans[1].rm_so < 0) return 20 + spans[0].rm_so;
        return 10 * spans[0].rm_so + spans[1].rm_so;
    }
    regcomp(&pattern, "b[^x]", REG_NOSUB);
    if (regexec(&pattern, s, 0, 0, 0) == 0) return 102;
    regcomp(&pattern, "\\([ax]\\)\\1", 0);
    if (regexec(&pattern, s, 1, spans, 0) == 0) return 110 + spans[0].rm_so;
    if (fnmatch("?x*", s, 0) == 0) return 104;
    if (fnmatch("[!a]*b", s, 0) == 0) return 105;
    return 106;
}
