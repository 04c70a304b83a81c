// A line with a check digit and a checksum, and a parser behind both.
//
// Two sums over all bytes (Fletcher's checksum) guard the parser, then a third one over the digits (Luhn's). Whoever
// follows inputs one by one and changes a byte fails the sums again: every new line takes a solution of all of them
// at once. Look at how many paths end with status 0, and at the planted bug: an amount that passes every check, and
// is one too large for its table.
#include <klee/klee.h>
#include <stdint.h>

#ifndef DIGITS
#define DIGITS 6
#endif

enum { SIZE = 2 + 1 + DIGITS + 1, STEPS = 11 };

static int fletcher(const uint8_t *at) {
    unsigned one = 0, two = 0;
    for (unsigned i = 2; i < SIZE; i++) {
        one += at[i];
        two += one;
    }
    return one % 255 == at[0] && two % 255 == at[1];
}

static int luhn(const uint8_t *digits) {
    unsigned sum = 0;
    for (unsigned i = 0; i < DIGITS; i++) {
        unsigned digit = digits[i] - '0';
        if (i % 2 == 0) {
            digit *= 2;
            if (digit > 9)
                digit -= 9;
        }
        sum += digit;
    }
    return sum % 10 == 0;
}

static int line(const uint8_t *at) {
    static const uint8_t fees[STEPS] = {0, 1, 2, 3, 5, 8, 13, 21, 34, 55, 89};
    if (!fletcher(at))
        return 1;
    const uint8_t *digits = at + 3;
    for (unsigned i = 0; i < DIGITS; i++)
        if (digits[i] < '0' || digits[i] > '9')
            return 2;
    if (!luhn(digits))
        return 3;
    unsigned amount = 0;
    for (unsigned i = 0; i < DIGITS; i++)
        amount = amount * 10 + (digits[i] - '0');
    switch (at[2]) {
    case 'D': // deposit
        return amount % 97 == 1 ? 0 : 4;
    case 'W': // withdraw
        if (amount * amount % 1009 > 1000)
            return 5;
        return amount > 500 * at[SIZE - 1] ? 6 : 0;
    case 'F': // fee
        if (amount / 100 <= STEPS * 100 && amount % 1000 == 7) // BUG: should be below
            return fees[amount / 10000];
        return 8;
    }
    return 9;
}

int main(void) {
    uint8_t bytes[SIZE];
    klee_make_symbolic(bytes, sizeof bytes, "line");
    return line(bytes);
}
