#include "common.h"
#ifdef NATIVE
static char *given;
static void klee_make_symbolic(void *to, size_t n, const char *name) {
  for (size_t i = 0; i < n; i++) { unsigned byte; sscanf(given + 2 * i, "%2x", &byte); ((char *)to)[i] = byte; }
}
#else
void klee_make_symbolic(void *, size_t, const char *);
#endif
// What is symbolic passes through files, pipes and shared memory, and is asked about only at the end.
int main(int argc, char **argv) {
  char n[3], b[20] = {0};
#ifdef NATIVE
  given = argv[2];
#endif
  klee_make_symbolic(n, 3, "n");
  int f = open("f", O_RDWR | O_CREAT, 0666), t[2], g = open("g", O_RDWR | O_CREAT, 0666);
  pipe(t); write(t[1], n, 3); read(t[0], b, 3); write(f, "<>", 2); pwrite(f, b, 3, 1); lseek(f, 0, SEEK_SET);
  copy_file_range(f, 0, g, 0, 10, 0); ftruncate(g, 3);
  char *m = mmap(0, 10, PROT_READ | PROT_WRITE, MAP_SHARED, g, 0);
  m[0] = m[2] ^ 1; char swap = m[1]; m[1] = m[2]; m[2] = swap;
  FILE *s = fopen("g", "r"); int first = fgetc(s), second = fgetc(s), third = fgetc(s), end = fgetc(s);
  if (first != (second ^ 1)) printf("wrong\n"); printf("%d\n", end);
  if (third == 'a') printf("a first\n"); else if (third > second) printf("greater\n"); else printf("other\n");
  pwrite(g, &m[2], 1, 0); printf("%d\n", m[0] == 'b');
  return 0;
}
