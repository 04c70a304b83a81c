#include "common.h"
int main() {
  char b[300] = {0};
  int f = open("a", O_RDWR | O_CREAT, 0640);
  T(f); T(write(f, "hello, world", 12)); T(lseek(f, 0, SEEK_CUR)); T(lseek(f, -3, SEEK_END)); T(read(f, b, 99)); T(read(f, b, 99)); T(lseek(f, -1, SEEK_SET));
  T(lseek(f, 100, SEEK_SET)); T(read(f, b, 9)); T(write(f, "x", 1)); show("a"); T(lseek(f, 0, 9)); T(lseek(f, 0, SEEK_DATA)); T(lseek(f, 200, SEEK_DATA)); T(lseek(f, 101, SEEK_HOLE));
  T(ftruncate(f, 5)); show("a"); T(ftruncate(f, 8)); show("a"); T(ftruncate(f, -1)); T(truncate("a", 3)); show("a"); T(truncate("none", 3)); T(truncate(".", 3));
  T(pwrite(f, "JKL", 3, 1)); T(pread(f, b, 2, 2)); printf("%.2s\n", b); T(pread(f, b, 2, -1)); T(pwrite(f, "", 0, 1)); T(lseek(f, 0, SEEK_CUR));
  int g = open("a", O_WRONLY | O_APPEND); T(lseek(g, 0, SEEK_SET)); T(write(g, "END", 3)); T(lseek(g, 0, SEEK_CUR)); T(pwrite(g, "?", 1, 0)); show("a"); T(read(g, b, 1));
  int r = open("a", O_RDONLY); T(write(r, "x", 1)); T(ftruncate(r, 1)); T(fcntl(g, F_GETFL) & (O_ACCMODE | O_APPEND)); T(fcntl(g, F_SETFL, 0)); T(pwrite(g, "!", 1, 0)); show("a");
  struct iovec v[3] = {{"ab", 2}, {"", 0}, {"cde", 3}}; T(lseek(f, 0, SEEK_SET)); T(writev(f, v, 3)); T(pwritev(f, v, 3, 4)); show("a"); T(writev(f, v, -1));
  char x[3], y[10]; struct iovec w[2] = {{x, 3}, {y, 10}}; T(lseek(f, 0, SEEK_SET)); T(readv(f, w, 2)); printf("%.3s %.4s\n", x, y); T(preadv(f, w, 2, 5));
  int h = open("b", O_RDWR | O_CREAT | O_TRUNC, 0666); off_t o = 1; T(sendfile(h, f, &o, 4)); printf("%ld\n", (long)o); T(lseek(h, 0, SEEK_CUR)); show("b"); T(sendfile(h, f, 0, 1));
  off_t p = 0, q = 2; T(copy_file_range(f, &p, h, &q, 3, 0)); printf("%ld %ld\n", (long)p, (long)q); show("b"); T(copy_file_range(f, 0, h, 0, 3, 1)); int dd = open(".", O_RDONLY);
  T(copy_file_range(dd, 0, h, 0, 3, 0)); T(read(dd, b, 9)); T(write(dd, b, 9)); T(copy_file_range(r, 0, r, 0, 3, 0));
  T(posix_fallocate(h, 0, 20)); mode_of("b"); T(posix_fallocate(h, 0, 0)); T(posix_fallocate(r, 0, 9)); T(fallocate(h, 1, 0, 100)); mode_of("b");
  int n = dup(f); T(lseek(n, 2, SEEK_SET)); T(lseek(f, 0, SEEK_CUR)); T(close(f)); T(close(f)); T(read(n, b, 1)); T(dup2(n, 50)); T(dup2(n, n)); T(dup2(77, 5)); T(dup3(n, n, 0)); T(dup3(n, 51, O_CLOEXEC));
  T(fcntl(51, F_GETFD)); T(fcntl(50, F_GETFD)); T(fcntl(50, F_SETFD, FD_CLOEXEC)); T(fcntl(50, F_GETFD)); T(fcntl(n, F_DUPFD, 60)); T(fcntl(n, F_DUPFD_CLOEXEC, 60)); T(fcntl(61, F_GETFD)); T(fcntl(99, F_GETFD)); T(fcntl(n, 12345)); T(fcntl(n, F_DUPFD, -1));
  struct flock l = {.l_type = F_WRLCK}; T(fcntl(n, F_SETLK, &l)); T(fcntl(n, F_GETLK, &l)); T(l.l_type); T(lockf(n, F_TLOCK, 0));
  T(unlink("a")); struct stat s; T(fstat(n, &s)); T(s.st_nlink); T(s.st_size); T(pread(n, b, 4, 0)); printf("%.4s\n", b); show("a");
  int z = open("/dev/zero", O_RDWR), nu = open("/dev/null", O_RDWR), fu = open("/dev/full", O_RDWR), ur = open("/dev/urandom", O_RDONLY);
  T(read(z, b, 9)); T(b[8]); T(write(z, b, 9)); T(read(nu, b, 9)); T(write(nu, b, 9)); T(read(fu, b, 9)); T(write(fu, b, 9)); T(read(ur, b, 9)); T(lseek(nu, 5, SEEK_SET));
  T(fstat(nu, &s)); T(S_ISCHR(s.st_mode)); T(s.st_rdev == 0x103); T(ftruncate(nu, 0)); mode_of("/dev/zero");
  int t[2]; T(pipe(t)); T(write(t[1], "pipe", 4)); int av = 0; T(ioctl(t[0], FIONREAD, &av)); T(av); T(read(t[0], b, 2)); T(lseek(t[0], 0, SEEK_CUR)); T(pread(t[0], b, 2, 0)); T(write(t[0], b, 1)); T(read(t[1], b, 1));
  struct pollfd pf[3] = {{t[0], POLLIN}, {t[1], POLLOUT}, {n, POLLIN | POLLOUT}}; T(poll(pf, 3, 0)); printf("%d %d %d\n", pf[0].revents, pf[1].revents, pf[2].revents);
  T(read(t[0], b, 9)); T(poll(pf, 1, 0)); fd_set rs; FD_ZERO(&rs); FD_SET(t[0], &rs); FD_SET(n, &rs); struct timeval tv = {0, 0}; T(select(n > t[0] ? n + 1 : t[0] + 1, &rs, 0, 0, &tv)); T(FD_ISSET(t[0], &rs)); T(FD_ISSET(n, &rs));
  T(close(t[1])); T(read(t[0], b, 9)); T(poll(pf, 1, 0)); printf("%d\n", pf[0].revents);
  signal(SIGPIPE, SIG_IGN); T(pipe2(t, O_NONBLOCK)); T(read(t[0], b, 1)); static char big[70000]; T(write(t[1], big, 70000)); T(write(t[1], big, 1)); T(close(t[0])); T(write(t[1], b, 1));
  int sp[2]; T(socketpair(AF_UNIX, SOCK_STREAM, 0, sp)); T(write(sp[0], "one", 3)); T(write(sp[1], "two", 3)); T(read(sp[0], b, 9)); printf("%.3s\n", b); T(read(sp[1], b, 9)); printf("%.3s\n", b); T(close(sp[1])); T(read(sp[0], b, 1));
  T(fstat(sp[0], &s)); T(S_ISSOCK(s.st_mode)); T(ioctl(n, FIONREAD, &av)); T(ioctl(n, TCGETS, b)); T(isatty(n)); T(ioctl(99, FIONREAD, &av)); P(ttyname(n));
  int nf; char path[40]; put("c", "abcdef"); int cf = open("c", O_RDWR); T(dup2(cf, 80)); cf = 80; T(read(cf, b, 3)); sprintf(path, "/dev/fd/%d", cf); nf = open(path, O_RDONLY); T(lseek(nf, 0, SEEK_CUR)); show(path);
  sprintf(path, "/proc/self/fd/%d", cf); ssize_t ln = readlink(path, b, 299); b[ln] = 0; printf("%s\n", strrchr(b, '/')); T(access("/dev/stdin", F_OK)); T(access("/proc/self/fd/999", F_OK));
  int tf = open(".", O_TMPFILE | O_RDWR, 0600); T(write(tf, "tmp", 3)); sprintf(path, "/proc/self/fd/%d", tf); T(linkat(AT_FDCWD, path, AT_FDCWD, "named", AT_SYMLINK_FOLLOW)); show("named");
  int op = open("c", O_PATH); T(read(op, b, 1)); T(fstat(op, &s)); T(s.st_size); T(fcntl(op, F_GETFL) & O_PATH ? 1 : 0);
  T(getxattr("none", "user.x", b, 9)); struct statvfs sv; T(statvfs(".", &sv)); T(sv.f_namemax); T(statvfs("none", &sv)); struct statfs sf; T(statfs(".", &sf)); T(fstatfs(99, &sf));
  struct statx sx; T(statx(AT_FDCWD, "c", 0, STATX_BASIC_STATS, &sx)); T(sx.stx_size); T(sx.stx_mode); T(sx.stx_nlink); T(statx(cf, "", AT_EMPTY_PATH, STATX_SIZE, &sx)); T(sx.stx_size); T(statx(AT_FDCWD, "none", 0, STATX_SIZE, &sx));
  T(fstatat(cf, "", &s, AT_EMPTY_PATH)); T(fstatat(cf, "", &s, 0)); T(fstatat(AT_FDCWD, "c", &s, 0x10)); T(s.st_blksize > 0);
  return 0;
}
