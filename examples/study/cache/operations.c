// A calculator: Operations of table 4 of the partial-solution cache (Shuai, Chen, Ma, Liu and others, 2024), of which
// the paper gives only the name: this is another program.
//
// SIZE operations on an accumulator, each of which input chooses, with a symbolic operand: add and subtract, which
// saturate, negate, the lesser and the greater of both, the distance, and a division by subtraction. All sums are
// linear.
#include <klee/klee.h>

#ifndef SIZE
#define SIZE 3
#endif

enum { LIMIT = 1000, QUOTIENT = 3 };
enum operation { ADD, SUBTRACT, NEGATE, LESSER, GREATER, DISTANCE, DIVIDE };
enum { ZERO, POSITIVE, NEGATIVE, SATURATED, INVALID };

static int saturated;

static int within(int value) {
    if (value > LIMIT) {
        saturated = 1;
        return LIMIT;
    }
    if (value < -LIMIT) {
        saturated = 1;
        return -LIMIT;
    }
    return value;
}

// Rounded down, and at most QUOTIENT.
static int divided(int value, int by) {
    int quotient = 0;
    while (quotient < QUOTIENT && value >= by) {
        value -= by;
        quotient++;
    }
    return quotient;
}

static int apply(enum operation operation, int value, int operand) {
    switch (operation) {
    case ADD:
        return within(value + operand);
    case SUBTRACT:
        return within(value - operand);
    case NEGATE:
        return -value;
    case LESSER:
        return value < operand ? value : operand;
    case GREATER:
        return value > operand ? value : operand;
    case DISTANCE:
        return within(value > operand ? value - operand : operand - value);
    case DIVIDE:
        return operand > 0 ? divided(value, operand) : value;
    }
    return 0;
}

int main(void) {
    int value = 0;
    for (int i = 0; i < SIZE; i++) {
        unsigned operation;
        int operand;
        klee_make_symbolic(&operation, sizeof operation, "operation");
        klee_make_symbolic(&operand, sizeof operand, "operand");
        if (operation > DIVIDE || operand < -LIMIT || operand > LIMIT)
            return INVALID;
        value = apply((enum operation)operation, value, operand);
    }
    if (saturated)
        return SATURATED;
    if (value == 0)
        return ZERO;
    return value > 0 ? POSITIVE : NEGATIVE;
}
