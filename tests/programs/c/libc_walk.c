/* Names in directories: glob, ftw and nftw, on a tree that the program makes and removes. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <ftw.h>
#include <glob.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static void show(const char *pattern, int flags) {
  glob_t found;
  int error = glob(pattern, flags, NULL, &found);
  printf("%s %d:", pattern, error);
  for (size_t i = 0; !error && i < found.gl_pathc; i++)
    printf(" %s", found.gl_pathv[i]);
  printf("\n");
  if (!error)
    globfree(&found);
}

static char seen[64][64];
static int count;

static int by_text(const void *a, const void *b) { return strcmp(a, b); }

static int visit(const char *path, const struct stat *status, int kind, struct FTW *place) {
  snprintf(seen[count++], 64, "%s %d %d %d %d", path, kind, place->base, place->level,
           S_ISDIR(status->st_mode) != 0);
  return 0;
}

static int visit_plainly(const char *path, const struct stat *status, int kind) {
  snprintf(seen[count++], 64, "%s %d %d", path, kind, S_ISDIR(status->st_mode) != 0);
  return strcmp(path, "./sub/stop") == 0 ? 7 : 0;
}

/* The order of names in a directory is the system's own. */
static void tell(const char *what, int result) {
  printf("%s: %d\n", what, result);
  qsort(seen, count, sizeof seen[0], by_text);
  for (int i = 0; i < count; i++)
    printf("  %s\n", seen[i]);
  count = 0;
}

static int removed(const char *path, const struct stat *status, int kind, struct FTW *place) {
  (void)status, (void)kind, (void)place;
  return remove(path);
}

int main(void) {
  char directory[] = "/tmp/walk-XXXXXX";
  if (!mkdtemp(directory) || chdir(directory))
    return 1;
  const char *files[] = {"a.c", "b.c", "b.h", ".hidden.c", "sub/d.c", "sub/deep/e.c", "x[1]"};
  mkdir("sub", 0755);
  mkdir("sub/deep", 0755);
  for (size_t i = 0; i < sizeof files / sizeof *files; i++)
    close(open(files[i], O_CREAT | O_WRONLY, 0644));
  show("*.c", 0);
  show("*", 0);
  show("*", GLOB_MARK);
  show(".*.c", 0);
  show("*/*.c", 0);
  show("sub/*/e.c", 0);
  show("[ab].?", 0);
  show("x\\[1\\]", 0);
  show("none*", 0);
  show("none*", GLOB_NOCHECK);
  show("a.c", 0);
  show("missing", 0);
  show("missing", GLOB_NOMAGIC);
  show("*", GLOB_ONLYDIR);
  tell("nftw", nftw(".", visit, 8, FTW_PHYS));
  tell("nftw from below", nftw("sub", visit, 8, FTW_DEPTH | FTW_PHYS));
  tell("ftw", ftw("sub", visit_plainly, 8));
  tell("nothing", nftw("missing", visit, 8, 0));
  if (chdir("/"))
    return 1;
  printf("%d\n", nftw(directory, removed, 8, FTW_DEPTH | FTW_PHYS));
  return 0;
}
