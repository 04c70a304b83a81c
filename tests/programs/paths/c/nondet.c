// inputs: nondet_int=-4..3 nondet_int_2=-4..3 nondet_uchar=0..15
// paths: 11
// As the software verification competition writes programs.
extern int __VERIFIER_nondet_int(void);
extern unsigned char __VERIFIER_nondet_uchar(void);
extern void __VERIFIER_assume(int);
extern void abort(void);
extern void reach_error(void);

static void check(int condition) {
    if (!condition) {
        reach_error();
        abort();
    }
}

int main(void) {
    int x = __VERIFIER_nondet_int(), y = __VERIFIER_nondet_int();
    __VERIFIER_assume((x >= -4) & (x < 4) & (y >= -4) & (y < 4));
    unsigned char n = __VERIFIER_nondet_uchar();
    __VERIFIER_assume(n < 16);
    int steps = 0;
    while (x < y && steps < 3) {
        x += 2;
        steps++;
    }
    if (steps == 3) return 1;
    check(x >= y);
    if (n == 13) check(x != 3);
    return 0;
}
