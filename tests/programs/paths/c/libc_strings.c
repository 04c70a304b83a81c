// inputs: s[4]=0,'a','b' t[2]=0,'a'
// paths: 5
// finer: yes (the library's own loops decide)
#include <klee/klee.h>
#include <string.h>

int main(void) {
    char s[5] = {0}, t[3] = {0};
    klee_make_symbolic(s, 4, "s");
    klee_make_symbolic(t, 2, "t");
    for (int i = 0; i < 4; i++) klee_assume((s[i] == 0) | (s[i] == 'a') | (s[i] == 'b'));
    for (int i = 0; i < 2; i++) klee_assume((t[i] == 0) | (t[i] == 'a'));
    if (strcmp(s, "abba") == 0) return 1;
    if (memcmp(s, "bb", 2) == 0) return strlen(s) == 3 ? 2 : 3;
    char *found = strchr(s, 'b');
    if (found == NULL) return 4;
    if (strncmp(s, t, 2) > 0) return 5;
    return found - s == 1 ? 6 : 7;
}
