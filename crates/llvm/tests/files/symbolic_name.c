#include "common.h"
#ifdef NATIVE
static char *given;
static void klee_make_symbolic(void *to, size_t n, const char *name) {
  for (size_t i = 0; i < n; i++) { unsigned byte; sscanf(given + 2 * i, "%2x", &byte); ((char *)to)[i] = byte; }
}
#else
void klee_make_symbolic(void *, size_t, const char *);
#endif
int main(int argc, char **argv) {
  char n[4], b[20];
#ifdef NATIVE
  given = argv[2];
#endif
  mkdir("d", 0777); put("a", "file a"); put("ab", "file ab"); put("d/a", "deep"); symlink("d", "l"); mkdir("x", 0);
  klee_make_symbolic(n, 3, "n");
  n[3] = 0;
  long r = -2;
  struct stat s;
  errno = 0;
  switch (argv[1][0]) {
  case 'o': r = open(n, O_RDONLY); r = r < 0 ? -1 : read(r, b, 20); break;
  case 's': r = stat(n, &s); r = r ? -1 : s.st_mode; break;
  case 'l': r = lstat(n, &s); r = r ? -1 : s.st_mode; break;
  case 'c': r = open(n, O_RDWR | O_CREAT, 0666); r = r < 0 ? -1 : read(r, b, 20); break;
  case 'm': r = mkdir(n, 0777); break;
  case 'u': r = unlink(n); break;
  case 'r': r = rename(n, "new"); break;
  case 'R': r = rename("a", n); break;
  case 'd': r = chdir(n); printf("%ld %s %d %d\n", r, r ? strerror(errno) : "", access("d", F_OK), access("../d", F_OK)); return 0;
  }
  printf("%ld %s\n", r, r == -1 ? strerror(errno) : "");
  list(".");
  return 0;
}
