#include <stdint.h>

uint32_t nondet_u32(void);
uint64_t nondet_u64(void);

union word {
  uint64_t whole;
  uint8_t bytes[8];
};

int main(void) {
  uint32_t a = nondet_u32(), b = nondet_u32();
  __CPROVER_assume(a < 1000 && b < 1000);
  __CPROVER_assert(a + b < 2000, "holds: a sum below two limits");
  __CPROVER_assert(a * 3 + b != 42, "fails: an equation with solutions");
  uint8_t c = (uint8_t)a, d = (uint8_t)b;
  __CPROVER_assert(d == 0 || c / d * d + c % d == c, "holds: quotient and remainder");

  uint32_t n = nondet_u32(), bits = 0;
  for (int i = 0; i < 32; i++) bits += n >> i & 1;
  __CPROVER_assert(bits <= 32, "holds: a count of bits");
  __CPROVER_assert(bits != 3 || n % 7 != 0, "fails: three bits and a multiple of seven");

  union word word = {nondet_u64()};
  uint64_t joined = 0;
  for (int i = 7; i >= 0; i--) joined = joined << 8 | word.bytes[i];
  __CPROVER_assert(joined == word.whole, "holds: bytes of a word");
}
