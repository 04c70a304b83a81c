// A stack machine: any SIZE bytes are its program.
//
// The program decides where it goes, so instructions, operands and jumps are all symbolic, and there is no end of
// paths: look at how far each search gets in a minute (`--max-time 60`), and at the tests in errors/ as little
// programs: one stores behind the last cell, one finds the number that opens a door.
#include <assert.h>
#include <klee/klee.h>
#include <stdint.h>

#ifndef SIZE
#define SIZE 8
#endif

enum { DEEPEST = 4, CELLS = 3, LONGEST = 24 };

enum { HALT, PUSH, ADD, MULTIPLY, SUBTRACT, DUPLICATE, STORE, LOAD, SKIP_IF_ZERO, BACK, CHECK };

static int interpret(const uint8_t *code) {
    uint16_t stack[DEEPEST], cells[CELLS] = {0};
    unsigned depth = 0, at = 0;
    for (unsigned step = 0; step < LONGEST; step++) {
        if (at >= SIZE)
            return 1;
        uint8_t operation = code[at] & 15, operand = code[at] >> 4;
        at++;
        switch (operation) {
        case HALT:
            return 0;
        case PUSH:
            if (depth == DEEPEST || at >= SIZE)
                return 2;
            stack[depth++] = (uint16_t)(code[at++] + 256 * operand);
            break;
        case ADD:
        case MULTIPLY:
        case SUBTRACT:
            if (depth < 2)
                return 3;
            depth--;
            if (operation == ADD)
                stack[depth - 1] += stack[depth];
            else if (operation == MULTIPLY)
                stack[depth - 1] *= stack[depth];
            else
                stack[depth - 1] -= stack[depth];
            break;
        case DUPLICATE:
            if (depth == 0 || depth == DEEPEST)
                return 3;
            stack[depth] = stack[depth - 1];
            depth++;
            break;
        case STORE:
            if (depth == 0 || operand > CELLS) // BUG: one too many
                return 4;
            cells[operand] = stack[--depth];
            break;
        case LOAD:
            if (depth == DEEPEST || operand >= CELLS)
                return 4;
            stack[depth++] = cells[operand];
            break;
        case SKIP_IF_ZERO:
            if (depth == 0)
                return 3;
            if (stack[--depth] == 0)
                at += 2;
            break;
        case BACK:
            if (operand > at)
                return 5;
            at -= operand;
            break;
        case CHECK: // the door: a number that is a product, and a checksum of the program
            if (depth < 2)
                return 3;
            if (stack[depth - 1] == 0x2a9c && (code[0] ^ code[1] ^ code[2]) > stack[depth - 2])
                assert(!"the door is open");
            break;
        default:
            return 6;
        }
    }
    return 7;
}

int main(void) {
    uint8_t code[SIZE];
    klee_make_symbolic(code, sizeof code, "code");
    return interpret(code);
}
