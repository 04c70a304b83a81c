/* What is in directories: scandir, fts, and patterns with braces, on a tree that the program makes and removes. */
#define _GNU_SOURCE
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <fts.h>
#include <glob.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static int is_c(const struct dirent *entry) { return strstr(entry->d_name, ".c") != NULL; }

static int backwards(const struct dirent **a, const struct dirent **b) {
  return strcmp((*b)->d_name, (*a)->d_name);
}

typedef int compare(const struct dirent **, const struct dirent **);

static void list(const char *path, int (*filter)(const struct dirent *), compare *order) {
  struct dirent **entries = NULL;
  int count = scandir(path, &entries, filter, order);
  printf("%s %d:", path, count);
  for (int i = 0; i < count; i++) {
    printf(" %s", entries[i]->d_name);
    free(entries[i]);
  }
  free(count < 0 ? NULL : entries);
  printf("%s\n", count < 0 && errno == ENOENT ? " none" : "");
}

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

static int by_name(const FTSENT **a, const FTSENT **b) { return strcmp((*a)->fts_name, (*b)->fts_name); }

static void walk(char **paths, int options) {
  FTS *fts = fts_open(paths, options, by_name);
  printf("walk %x\n", options);
  FTSENT *entry;
  while ((entry = fts_read(fts)) != NULL) {
    struct stat status;
    int there = lstat(entry->fts_accpath, &status) == 0;
    printf("  %d %d %s %s %d %d %d %ld", entry->fts_info, entry->fts_level, entry->fts_path, entry->fts_name,
           entry->fts_pathlen, entry->fts_namelen, there, entry->fts_number);
    if (entry->fts_info == FTS_D && entry->fts_level == 1 && strcmp(entry->fts_name, "link") && strcmp(entry->fts_name, "skipped")) {
      for (FTSENT *child = fts_children(fts, 0); child; child = child->fts_link)
        printf(" [%s]", child->fts_name);
    }
    entry->fts_number = 7;
    if (strcmp(entry->fts_name, "skipped") == 0)
      fts_set(fts, entry, FTS_SKIP);
    if (entry->fts_info == FTS_SL && strcmp(entry->fts_name, "link") == 0)
      fts_set(fts, entry, FTS_FOLLOW);
    printf("\n");
  }
  printf("  %d %d\n", errno == 0, fts_close(fts));
}

int main(void) {
  char directory[] = "/tmp/tree-XXXXXX";
  if (!mkdtemp(directory) || chdir(directory))
    return 1;
  const char *folders[] = {"sub", "sub/deep", "sub/skipped", "empty"};
  const char *files[] = {"a.c", "b.c", "b.h", ".hidden.c", "a10", "a9", "a{1}", "sub/d.c", "sub/deep/e.c", "sub/skipped/f"};
  for (size_t i = 0; i < sizeof folders / sizeof *folders; i++)
    mkdir(folders[i], 0755);
  for (size_t i = 0; i < sizeof files / sizeof *files; i++)
    close(open(files[i], O_CREAT | O_WRONLY, 0644));
  if (symlink("sub/deep", "link") || symlink("nowhere", "lost") || symlink("..", "sub/deep/up"))
    return 1;

  list(".", NULL, alphasort);
  list(".", is_c, alphasort);
  list(".", NULL, versionsort);
  list(".", NULL, backwards);
  list("empty", NULL, alphasort);
  list("sub/deep", is_c, NULL);
  list("missing", NULL, alphasort);

  show("{a,b}.c", GLOB_BRACE);
  show("{b,a}.{c,h}", GLOB_BRACE);
  show("{b,a}.{c,h}", 0);
  show("{a,sub/{d,x}}.c", GLOB_BRACE);
  show("*.{h,c}", GLOB_BRACE);
  show("{x,y}z", GLOB_BRACE);
  show("{x,y}z", GLOB_BRACE | GLOB_NOCHECK);
  show("a{1}", GLOB_BRACE);
  show("a\\{1\\}", GLOB_BRACE);
  show("a{1", GLOB_BRACE | GLOB_NOCHECK);
  show("{}", GLOB_BRACE | GLOB_NOCHECK);
  show("{,sub/}*.c", GLOB_BRACE);
  show("{a*,sub/*}", GLOB_BRACE | GLOB_MARK);

  char *here[] = {".", NULL}, *two[] = {"sub", "a.c", "lost", "missing", NULL}, *link[] = {"link", NULL};
  walk(here, FTS_PHYSICAL);
  walk(here, FTS_PHYSICAL | FTS_NOCHDIR | FTS_SEEDOT);
  walk(here, FTS_LOGICAL);
  walk(two, FTS_PHYSICAL | FTS_NOCHDIR);
  walk(two, FTS_LOGICAL | FTS_NOCHDIR);
  walk(link, FTS_PHYSICAL | FTS_COMFOLLOW);
  walk(link, FTS_PHYSICAL | FTS_NOSTAT | FTS_NOCHDIR);

  unlink("sub/deep/up"), unlink("lost"), unlink("link");
  for (size_t i = 0; i < sizeof files / sizeof *files; i++)
    unlink(files[i]);
  for (size_t i = sizeof folders / sizeof *folders; i-- > 0;)
    rmdir(folders[i]);
  printf("%d\n", chdir("/") || rmdir(directory));
  return 0;
}
