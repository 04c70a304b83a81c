/* CBMC's functions in a native program, where a counterexample is replayed: what CBMC chose is in the environment, in
   order, as bits. Every violated assertion is printed. */
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static uint64_t next_choice(void) {
  static const char *rest;
  if (!rest) rest = getenv("CHOICES");
  uint64_t value = 0;
  while (*rest == '0' || *rest == '1') value = value << 1 | (*rest++ - '0');
  if (*rest == ',') rest++;
  return value;
}

static float next_float(void) {
  uint32_t bits = next_choice();
  float value;
  memcpy(&value, &bits, sizeof value);
  return value;
}

int nondet_int(void) { return (int)next_choice(); }
uint8_t nondet_u8(void) { return next_choice(); }
uint32_t nondet_u32(void) { return next_choice(); }
uint64_t nondet_u64(void) { return next_choice(); }
float nondet_float(void) { return next_float(); }

#define __CPROVER_assume(condition) \
  do { if (!(condition)) { puts("an assumption is violated"); exit(1); } } while (0)
#define __CPROVER_assert(condition, text) \
  do { if (!(condition)) puts(text); } while (0)
