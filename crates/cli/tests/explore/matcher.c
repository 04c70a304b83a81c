#include <klee/klee.h>

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

int match(char *re, char *text) {
  if (re[0] == '^')
    return match_here(re + 1, text);
  do {
    if (match_here(re, text))
      return 1;
  } while (*text++ != '\0');
  return 0;
}

#define SIZE 5

int main(void) {
  char re[SIZE];
  klee_make_symbolic(re, sizeof re, "re");
  match(re, "hello");
  return 0;
}
