#include "common.h"
int main() {
  char b[100] = {0};
  put("a", "0123456789");
  int f = open("a", O_RDWR);
  char *s = mmap(0, 10, PROT_READ | PROT_WRITE, MAP_SHARED, f, 0), *p = mmap(0, 10, PROT_READ | PROT_WRITE, MAP_PRIVATE, f, 0);
  T(s != MAP_FAILED && p != MAP_FAILED); printf("%.10s %d %d\n", s, s[10], s[4095]);
  s[0] = 'S'; p[1] = 'P'; show("a"); printf("%.10s\n", p + 1); T(pwrite(f, "XY", 2, 5)); printf("%.10s\n", s); T(read(f, b, 3)); printf("%.3s\n", b);
  char *q = mmap(0, 10, PROT_READ, MAP_SHARED, f, 0); s[2] = 'Q'; printf("%c\n", q[2]); T(munmap(q, 10)); s[3] = 'R'; show("a");
  T(msync(s, 10, MS_SYNC)); T(ftruncate(f, 12)); show("a"); s[10] = 'e'; T(close(f)); T(unlink("a")); s[9] = '9'; printf("%.12s\n", s); T(munmap(s, 10)); T(munmap(p, 10)); show("a");
  int r = open("b", O_RDONLY | O_CREAT, 0666), w = open("b", O_WRONLY);
  B(mmap(0, 10, PROT_READ | PROT_WRITE, MAP_SHARED, r, 0)); B(mmap(0, 10, PROT_READ, MAP_SHARED, w, 0)); B(mmap(0, 10, PROT_READ, MAP_PRIVATE, 99, 0)); B(mmap(0, 0, PROT_READ, MAP_PRIVATE, r, 0)); B(mmap(0, 10, PROT_READ, MAP_PRIVATE, r, 5)); B(mmap(0, 10, PROT_READ, 0, r, 0));
  int d = open(".", O_RDONLY); B(mmap(0, 10, PROT_READ, MAP_PRIVATE, d, 0)); T(munmap((void *)1, 10)); int t[2]; pipe(t); B(mmap(0, 10, PROT_READ, MAP_PRIVATE, t[0], 0)); int z = open("/dev/zero", O_RDWR); char *y = mmap(0, 100, PROT_READ | PROT_WRITE, MAP_PRIVATE, z, 0); T(y[5]);
  put("c", ""); f = open("c", O_RDWR); T(ftruncate(f, 5000)); s = mmap(0, 5000, PROT_READ | PROT_WRITE, MAP_SHARED, f, 0); strcpy(s + 4500, "far"); T(munmap(s, 5000)); T(pread(f, b, 4, 4500)); printf("%s\n", b); mode_of("c"); return 0;
}
