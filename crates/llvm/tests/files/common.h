// What every program of this folder has: each call is printed with its result and its error.
#define _GNU_SOURCE
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/select.h>
#include <sys/sendfile.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/time.h>
#include <sys/uio.h>
#include <sys/vfs.h>
#include <sys/xattr.h>
#include <unistd.h>
#include <utime.h>

// The mask that the machine has.
__attribute__((constructor)) static void begin(void) { umask(022); }

static void told(int line, const char *what, long result, int error) {
  printf("%d %s = %ld", line, what, result);
  if (result == -1) printf(" %s", strerror(error));
  printf("\n");
}
#define T(call) do { errno = 0; long r_ = (long)(call); told(__LINE__, #call, r_, errno); } while (0)
// Only whether it worked.
#define B(call) do { errno = 0; long r_ = (long)(call); told(__LINE__, #call, r_ == -1 ? -1 : 0, errno); } while (0)
#define P(call) do { errno = 0; void *r_ = (void *)(call); told(__LINE__, #call, r_ ? 0 : -1, errno); } while (0)

static void put(const char *path, const char *text) {
  int f = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0666);
  if (f < 0 || write(f, text, strlen(text)) < 0) printf("put %s: %s\n", path, strerror(errno));
  close(f);
}

static void show(const char *path) {
  char b[200];
  int f = open(path, O_RDONLY | O_NONBLOCK);
  ssize_t n = f < 0 ? -1 : read(f, b, sizeof b);
  if (n < 0) printf("%s: %s\n", path, strerror(errno));
  else printf("%s: %zd '%.*s'\n", path, n, (int)n, b);
  if (f >= 0) close(f);
}

static void mode_of(const char *path) {
  struct stat s;
  if (lstat(path, &s)) printf("%s: %s\n", path, strerror(errno));
  else {
    printf("%s: %o", path, s.st_mode);
    if (!S_ISDIR(s.st_mode)) printf(" %ld names %ld bytes", (long)s.st_nlink, (long)s.st_size);
    printf("\n");
  }
}

static int by_name(const void *a, const void *b) { return strcmp(*(char **)a, *(char **)b); }

static void list(const char *path) {
  char *names[64];
  int n = 0;
  DIR *d = opendir(path);
  if (!d) { printf("%s: %s\n", path, strerror(errno)); return; }
  struct dirent *e;
  while ((e = readdir(d)) && n < 64) {
    char line[300];
    snprintf(line, sizeof line, "%s/%d", e->d_name, e->d_type);
    names[n++] = strdup(line);
  }
  closedir(d);
  qsort(names, n, sizeof *names, by_name);
  printf("%s:", path);
  for (int i = 0; i < n; i++) { printf(" %s", names[i]); free(names[i]); }
  printf("\n");
}
