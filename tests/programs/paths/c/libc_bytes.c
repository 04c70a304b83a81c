// inputs: s[3]='a','b',0 t[2]='a','b',0
// paths: 12
// finer: yes (what decides is within the library)
// Functions of the C library on symbolic bytes, against the same written out.
#include <klee/klee.h>
#include <string.h>

int main(void) {
    char s[4], t[3];
    klee_make_symbolic(s, 3, "s");
    klee_make_symbolic(t, 2, "t");
    for (int i = 0; i < 3; i++) klee_assume((s[i] == 'a') | (s[i] == 'b') | (s[i] == 0));
    for (int i = 0; i < 2; i++) klee_assume((t[i] == 'a') | (t[i] == 'b') | (t[i] == 0));
    s[3] = t[2] = 0;
    size_t n = strlen(s);
    int own = (s[0] != 0) * (1 + (s[1] != 0) * (1 + (s[2] != 0)));
    if ((int)n != own) return 1; /* never */
    const char *found = strstr(s, t);
    if (strncmp(s, t, strlen(t)) == 0 && found != s) return 2; /* never */
    if (found && memcmp(found, t, strlen(t)) != 0) return 3; /* never */
    if (strchr(s, 'b') == NULL && strrchr(s, 'b') != NULL) return 4; /* never */
    if (strspn(s, "a") + (strpbrk(s, "b") != NULL) > n) return 5; /* never */
    if (!found) return 6;
    if (strcmp(s, t) == 0) return 7;
    if (n == 3) {
        if (strcspn(s, "b") == 1) return 8;
        return 9;
    }
    return 10;
}
