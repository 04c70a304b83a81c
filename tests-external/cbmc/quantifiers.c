int nondet_int(void);

#ifdef __CPROVER__
#define ALL(i, n, condition) __CPROVER_forall { int i; (0 <= i && i < n) ==> (condition) }
#define SOME(i, n, condition) __CPROVER_exists { int i; (0 <= i && i < n) && (condition) }
#else
#define ALL(i, n, condition) ({ int all = 1; for (int i = 0; i < n; i++) all &= (condition); all; })
#define SOME(i, n, condition) ({ int some = 0; for (int i = 0; i < n; i++) some |= (condition); some; })
#endif

int main(void) {
  int cells[5];
  for (int k = 0; k < 5; k++) cells[k] = nondet_int();
  int all = ALL(i, 5, cells[i] > 3);
  __CPROVER_assume(all);
  __CPROVER_assert(cells[2] > 2, "holds: what is said of all holds of one");
  int some = SOME(i, 5, cells[i] > 4);
  __CPROVER_assert(some, "fails: all may be least");
}
