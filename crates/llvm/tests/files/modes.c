#include "common.h"
static void times_of(const char *path) {
  struct stat s;
  if (lstat(path, &s)) { printf("%s\n", strerror(errno)); return; }
  printf("%s: %ld.%09ld %ld.%09ld\n", path, (long)s.st_atim.tv_sec, s.st_atim.tv_nsec, (long)s.st_mtim.tv_sec, s.st_mtim.tv_nsec);
}
int main() {
  char b[20];
  T(umask(027)); put("m", "x"); mode_of("m"); T(mkdir("md", 0777)); mode_of("md"); T(mkdir("sd", 01777)); mode_of("sd"); T(umask(022)); T(umask(022));
  B(open("s", O_CREAT | O_WRONLY, 07777)); mode_of("s"); B(creat("c", 0604)); mode_of("c"); B(creat("ro", 0400)); B(open("ro", O_WRONLY)); int w = open("ro2", O_CREAT | O_RDWR, 0); T(write(w, "x", 1)); B(open("ro2", O_RDONLY));
  T(chmod("m", 0)); show("m"); B(open("m", O_WRONLY)); B(open("m", O_RDWR | O_TRUNC)); mode_of("m"); T(access("m", R_OK)); T(access("m", F_OK)); T(access("m", W_OK)); T(access("m", X_OK)); T(access("m", 8)); T(truncate("m", 0));
  T(chmod("m", 0200)); B(open("m", O_RDONLY)); B(open("m", O_WRONLY)); B(open("m", O_RDONLY | O_TRUNC)); T(chmod("m", 0644)); T(chmod("none", 0644)); T(fchmod(w, 04755)); mode_of("ro2"); T(write(w, "y", 1)); mode_of("ro2"); T(fchmod(99, 0));
  put("d0", ""); T(unlink("d0")); T(mkdir("d0", 0777)); put("d0/in", "in"); T(chmod("d0", 0444)); show("d0/in"); list("d0"); T(access("d0/in", F_OK)); T(chdir("d0")); T(chmod("d0", 0333)); show("d0/in"); list("d0"); T(chmod("d0", 0555));
  B(open("d0/new", O_CREAT | O_WRONLY, 0666)); T(unlink("d0/in")); T(mkdir("d0/x", 0777)); T(rename("d0/in", "out")); T(link("m", "d0/m")); T(symlink("m", "d0/m")); T(rename("m", "d0/m")); show("d0/in"); T(unlink("d0/none"));
  T(mkdir("mv", 0555)); T(rename("mv", "mv2")); T(rename("mv2", "d0/mv")); T(mkdir("top", 0777)); T(rename("mv2", "top/mv")); T(chmod("d0", 0777)); T(rmdir("d0")); T(unlink("d0/in")); T(rmdir("d0"));
  T(chown("m", -1, -1)); T(chown("m", getuid(), getgid())); T(chown("m", 0, -1)); T(chown("m", -1, 0)); T(chown("none", -1, -1)); T(lchown("m", getuid(), -1)); T(fchown(w, getuid(), -1)); T(fchownat(AT_FDCWD, "m", getuid(), -1, AT_SYMLINK_NOFOLLOW)); T(fchown(99, 0, 0));
  struct timespec t[2] = {{100, 5}, {200, 999999999}}; T(utimensat(AT_FDCWD, "m", t, 0)); times_of("m"); t[0].tv_nsec = UTIME_OMIT; t[1].tv_sec = -5; t[1].tv_nsec = 7; T(utimensat(AT_FDCWD, "m", t, 0)); times_of("m"); t[1].tv_nsec = 1000000000; T(utimensat(AT_FDCWD, "m", t, 0));
  struct timeval u[2] = {{10, 11}, {20, 21}}; T(utimes("m", u)); times_of("m"); struct utimbuf ub = {1, 2}; T(utime("m", &ub)); times_of("m"); T(symlink("m", "lm")); T(lutimes("lm", u)); times_of("lm"); times_of("m"); t[0].tv_nsec = 1; t[1].tv_nsec = 2; T(futimens(w, t)); times_of("ro2");
  T(utimensat(AT_FDCWD, "none", t, 0)); T(utimensat(AT_FDCWD, "m", t, 4)); struct stat a, c, d; stat("m", &a); put("m", "later"); stat("m", &c); T(c.st_mtime > a.st_mtime); T(c.st_ctime >= a.st_ctime); T(utimes("m", 0)); stat("m", &d); T(d.st_mtime >= c.st_mtime);
  T(fchmodat(AT_FDCWD, "lm", 0600, 0)); mode_of("m"); T(fchmodat(AT_FDCWD, "m", 0640, 0)); mode_of("m"); T(fchmodat(AT_FDCWD, "m", 0640, 1)); T(access("/", W_OK)); T(rmdir("/tmp")); B(open("/newfile", O_CREAT | O_WRONLY, 0666)); T(chmod("/", 0777)); T(utimes("/", 0));
  T(mkdir("g", 02777)); T(chmod("g", 02777)); mode_of("g"); T(mkdir("g/sub", 0755)); mode_of("g/sub"); put("g/f", ""); mode_of("g/f"); T(getuid() != 0); stat("m", &a); T(a.st_uid == getuid()); T(a.st_gid == getgid()); T(read(0, b, 5)); return 0;
}
