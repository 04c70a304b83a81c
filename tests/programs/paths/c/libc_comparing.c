// inputs: s[3]=0,97,98,-56
// paths: 6
// finer: yes (the library's own loops decide)
#include <klee/klee.h>
#include <string.h>

int main(void) {
    char s[4] = {0};
    klee_make_symbolic(s, 3, "s");
    for (int i = 0; i < 3; i++) klee_assume((s[i] == 0) | (s[i] == 97) | (s[i] == 98) | (s[i] == -56));
    int order = strcmp(s, "ab");
    if (order == 0) return 1;
    if (order < 0) return 2;
    order = memcmp(s, "b\xc8" "a", 3);
    if (order < 0) return 3;
    if (order == 0) return 4;
    if (strncmp("b\xc8zz", s, 2) >= 0) return 5;
    return 6;
}
