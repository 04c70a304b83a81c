float nondet_float(void);

int main(void) {
  float x = nondet_float();
  __CPROVER_assume(x >= 0.0f && x <= 1.0f);
  __CPROVER_assert(x * 0.5f <= 0.5f, "holds: half of at most one");
  __CPROVER_assert(x + 1.0f != 1.0f || x < 1e-7f, "holds: only little vanishes in a sum");
  __CPROVER_assert(x + 1.0f != 1.0f || x == 0.0f, "fails: nothing vanishes in a sum");
}
