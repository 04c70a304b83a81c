#include "common.h"
static unsigned long state;
static unsigned next(unsigned n) {
  state = state * 6364136223846793005UL + 1442695040888963407UL;
  return (unsigned)(state >> 33) % n;
}
// Few names, so that calls meet: in three directories, through links, and wrong ones.
static const char *name(char *to) {
  static const char *dirs[] = {"", "", "", "d/", "e/", "d/e/", "./", "d/../", "l/", "f/"};
  static const char *names[] = {"a", "b", "f", "d", "e", "l", ".", ".."};
  sprintf(to, "%s%s%s", dirs[next(10)], names[next(next(4) ? 6 : 8)], next(12) ? "" : "/");
  return to;
}
static int fd(void) { return 3 + next(6); }
static int flags(void) {
  static const int how[] = {O_RDONLY, O_WRONLY, O_RDWR};
  int f = how[next(3)];
  if (next(2)) f |= O_CREAT;
  if (!next(4)) f |= O_EXCL;
  if (!next(4)) f |= O_TRUNC;
  if (!next(4)) f |= O_APPEND;
  if (!next(8)) f |= O_DIRECTORY;
  if (!next(8)) f |= O_NOFOLLOW;
  return (f & O_CREAT ? f & ~O_DIRECTORY : f) | O_NONBLOCK;
}
static void says(int i, const char *what, const char *a, const char *b, long r) {
  printf("%d %s %s %s = %ld%s%s\n", i, what, a, b, r, r == -1 ? " " : "", r == -1 ? strerror(errno) : "");
}
int main(int argc, char **argv) {
  state = strtoul(argv[1], 0, 10) * 7919 + 1;
  int steps = atoi(argv[2]);
  signal(SIGPIPE, SIG_IGN);
  // Nothing leads out of here to where the two differ.
  for (int i = 0; i < 4; i++) { mkdir("t", 0777); chdir("t"); }
  for (int i = 0; i < steps; i++) {
    char a[64], b[64], buf[64] = {0};
    struct stat s;
    int f;
    long r;
    name(a); name(b);
    errno = 0;
    switch (next(30)) {
    case 0: case 1: f = flags(); r = open(a, f, next(8) ? 0666 : 0200); says(i, "open", a, "", r); if (r > 8) close(r); break;
    case 2: f = fd(); sprintf(buf, "%d", f); says(i, "close", buf, "", close(f)); break;
    case 3: f = fd(); r = write(f, "abcdefgh", next(9)); says(i, "write", "", "", r); break;
    case 4: f = fd(); r = read(f, buf, next(20)); says(i, "read", r > 0 ? buf : "", "", r); break;
    case 5: f = fd(); long o1 = (long)next(30) - 10; int wh = next(3); r = !fstat(f, &s) && S_ISDIR(s.st_mode) ? 0 : lseek(f, o1, wh); says(i, "lseek", "", "", r); break;
    case 6: says(i, "mkdir", a, "", mkdir(a, 0777)); break;
    case 7: says(i, "rmdir", a, "", rmdir(a)); break;
    case 8: says(i, "unlink", a, "", unlink(a)); break;
    case 9: case 10: says(i, "rename", a, b, rename(a, b)); break;
    case 11: says(i, "link", a, b, link(a, b)); break;
    case 12: says(i, "symlink", a, b, symlink(a, b)); break;
    case 13: r = readlink(a, buf, 63); says(i, "readlink", a, buf, r); break;
    case 14: r = stat(a, &s); says(i, "stat", a, "", r ? r : (long)s.st_mode); if (!r && S_ISREG(s.st_mode)) printf("%ld %ld\n", (long)s.st_size, (long)s.st_nlink); break;
    case 15: r = lstat(a, &s); says(i, "lstat", a, "", r ? r : (long)s.st_mode); break;
    case 16: says(i, "truncate", a, "", truncate(a, next(20))); break;
    case 17: says(i, "ftruncate", "", "", ftruncate(fd(), next(20))); break;
    case 18: says(i, "access", a, "", access(a, next(8))); break;
    case 19: says(i, "chmod", a, "", chmod(a, next(3) ? 0777 : next(512))); break;
    case 20: r = fstat(fd(), &s); says(i, "fstat", "", "", r ? r : (long)s.st_mode); if (!r && S_ISREG(s.st_mode)) printf("%ld %ld\n", (long)s.st_size, (long)s.st_nlink); break;
    case 21: printf("%d list ", i); list(a); break;
    case 22: r = pread(fd(), buf, 9, next(12)); says(i, "pread", r > 0 ? buf : "", "", r); break;
    case 23: r = pwrite(fd(), "XYZ", 3, next(12)); says(i, "pwrite", "", "", r); break;
    case 24: r = dup2(fd(), fd()); says(i, "dup2", "", "", r); break;
    case 25: says(i, "renameat2", a, b, renameat2(AT_FDCWD, a, AT_FDCWD, b, next(3))); break;
    case 26: says(i, "mkfifo", a, "", mkfifo(a, 0666)); break;
    case 27: f = fd(); r = openat(f, a, flags(), 0666); says(i, "openat", a, "", r); if (r > 8) close(r); break;
    case 28: r = unlinkat(AT_FDCWD, a, next(2) ? AT_REMOVEDIR : 0); says(i, "unlinkat", a, "", r); break;
    case 29: f = fd(); off_t o = next(6), q = next(6); r = copy_file_range(f, &o, fd(), &q, next(9), 0); says(i, "copy_file_range", "", "", r); break;
    }
  }
  list("."); list("d"); list("e"); list("d/e"); show("a"); show("b"); show("f"); show("d/a"); show("e/b");
  return 0;
}
