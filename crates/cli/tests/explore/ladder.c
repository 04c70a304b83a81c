// Many paths, each with memory of its own: every rung splits in two, and only one way leads to the top.
#include <klee/klee.h>
#include <stdlib.h>
#include <string.h>

#ifndef RUNGS
#define RUNGS 20
#endif
#ifndef BALLAST
#define BALLAST 16
#endif

static int top(void) { return 42; }

int main(void) {
  unsigned char steps[RUNGS];
  klee_make_symbolic(steps, sizeof steps, "steps");
  int height = 0;
  for (int i = 0; i < RUNGS; i++) {
    char *ballast = malloc(BALLAST);
    memset(ballast, i + 1, BALLAST);
    if (steps[i] > 100)
      height++;
  }
  if (height == RUNGS)
    return top();
  return height;
}
