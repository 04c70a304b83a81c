#include <stdlib.h>

int nondet_int(void);

struct node {
  int value;
  struct node *next;
};

int main(void) {
  struct node last = {nondet_int(), 0};
  struct node first = {nondet_int(), &last};
  struct node *node = nondet_int() ? &first : &last;
  __CPROVER_assert(!node->next || node == &first, "holds: only the first has another");
  __CPROVER_assert(node->value != 99 || !node->next, "fails: the first may be anything");

  int *cells = malloc(4 * sizeof(int));
  if (!cells) return 0;
  int place = nondet_int();
  if (place >= 0 && place < 4) {
    cells[place] = node->value;
    __CPROVER_assert(cells[place] == node->value, "holds: what was written is read");
  }
  free(cells);
}
