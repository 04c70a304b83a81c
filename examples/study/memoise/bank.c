// A bank account and a customer: figure 6 of Memoise (Yang, Pasareanu and Khurshid, 2012), which is an example of
// Inkumsah and Xie (2008), with the driver that its section V-C3 describes.
//
// Each operation is a deposit or a withdrawal, as input decides, of an amount that is input too. The sixth withdrawal
// is refused in a line that is hard to get to: of all sequences of six operations, one does.
#include <assert.h>
#include <klee/klee.h>

enum { MOST_WITHDRAWALS = 5 };

static int balance, withdrawals;

static void deposit(int amount) {
    if (amount > 0)
        balance += amount;
}

static void withdraw(int amount) {
    if (amount > balance)
        return;
    assert(withdrawals < MOST_WITHDRAWALS);
    balance -= amount;
    withdrawals++;
}

int main(void) {
    for (;;) {
        int withdrawing, amount;
        klee_make_symbolic(&withdrawing, sizeof withdrawing, "withdrawing");
        klee_make_symbolic(&amount, sizeof amount, "amount");
        if (withdrawing)
            withdraw(amount);
        else
            deposit(amount);
    }
}
