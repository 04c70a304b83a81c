// One way leads to the treasure; every other one into a hall with many doors.
#include <klee/klee.h>

static int hall(const unsigned char *keys) {
  int doors = 0;
  for (int i = 0; i < 12; i++)
    if (keys[i] & 1)
      doors++;
  return doors;
}

static int treasure(const unsigned char *keys) {
  (void)keys;
  return 42;
}

int main(void) {
  unsigned char keys[12];
  klee_make_symbolic(keys, sizeof keys, "keys");
  for (int i = 0; i < 3; i++)
    if (keys[i] == 255)
      return hall(keys);
  if (keys[0] == 3) {
    if (keys[1] > 200) {
      switch (keys[2]) {
      case 17:
        if ((keys[3] ^ keys[4]) == 0x5a)
          return treasure(keys);
        return hall(keys);
      case 18:
        return hall(keys);
      }
    }
    return hall(keys);
  }
  return hall(keys);
}
