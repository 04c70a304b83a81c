// A constant table that is read at symbolic indices, on many paths, each with many terms that no other path has.
#include <klee/klee.h>
#include <stdio.h>

#define ROW(n) n * 37 % 101, n * 37 % 101 + 3, (n + 7) * 53 % 97, n * n % 89
static const unsigned short table[64] = {
    ROW(0), ROW(1), ROW(2),  ROW(3),  ROW(4),  ROW(5),  ROW(6),  ROW(7),
    ROW(8), ROW(9), ROW(10), ROW(11), ROW(12), ROW(13), ROW(14), ROW(15),
};

int main(void) {
  unsigned char in[8];
  klee_make_symbolic(in, sizeof in, "in");
  unsigned path = 0;
  for (int i = 0; i < 8; i++)
    if (table[in[i] & 63] > 40)
      path += 1 << i;
  unsigned hash = path;
  for (int i = 0; i < 300; i++)
    hash = (hash ^ in[i & 7]) * 33 + table[(in[i + 1 & 7] ^ path) & 63] + i;
  printf("%u %u\n", path, hash);
  return 0;
}
