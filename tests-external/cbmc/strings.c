#include <stdint.h>
#include <string.h>

uint8_t nondet_u8(void);
uint32_t nondet_u32(void);

int main(void) {
  char text[6];
  for (int i = 0; i < 5; i++) text[i] = (char)nondet_u8();
  text[5] = 0;
  size_t length = strlen(text);
  __CPROVER_assert(length <= 5, "holds: the length of a string");
  __CPROVER_assert(length != 4 || text[0] != 'a' || text[3] != 'z', "fails: a string from a to z");

  uint32_t table[4] = {1, 2, 3, 4};
  uint32_t place = nondet_u32();
  __CPROVER_assume(place < 4);
  table[place] = 7;
  uint32_t sum = table[0] + table[1] + table[2] + table[3];
  __CPROVER_assert(sum >= 13, "holds: a sum after a write");
  __CPROVER_assert(sum != 15, "fails: a sum after one write");
}
