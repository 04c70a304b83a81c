#include <assert.h>
#include <klee/klee.h>

static int price(int kind, int amount) {
  if (kind == 0)
    return amount;
  if (kind == 1 && amount > 10)
    return amount / 2;
  assert(amount != 7); /* seven */
  return 2 * amount;
}

int main(void) {
  int kind, amount, paid = 0;
  klee_make_symbolic(&kind, sizeof kind, "kind");
  klee_make_symbolic(&amount, sizeof amount, "amount");
  klee_assume(kind >= 0 & kind < 3 & amount > 0 & amount < 20);
  int due = price(kind, amount);
  for (int coin = 0; coin < 3; coin++)
    if (amount > 5 * coin) /* coin */
      paid += 5;
  if (amount > 25) /* never */
    return 9;
  return paid < due;
}
