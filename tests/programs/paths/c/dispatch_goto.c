// inputs: code[3]=0..3 x=0..2
// paths: 44
// An interpreter whose instructions are labels: a jump to an address out of a table.
#include <klee/klee.h>

int main(void) {
    static const void *const labels[] = {&&halt, &&inc, &&twice, &&skip};
    unsigned char code[4];
    klee_make_symbolic(code, 3, "code");
    for (int i = 0; i < 3; i++) klee_assume(code[i] < 4);
    code[3] = 0;
    int x = klee_range(0, 3, "x");
    unsigned char *at = code;
    goto *labels[*at];
inc:
    x++;
    goto *labels[*++at];
twice:
    x *= 2;
    goto *labels[*++at];
skip:
    if (x == 0) goto halt;
    if (at == code + 2) goto halt;
    at += 2;
    goto *labels[*at];
halt:
    if (x > 3) return 1;
    return 2;
}
