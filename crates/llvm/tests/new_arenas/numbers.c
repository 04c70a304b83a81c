/* Over the integers, what overflows depends on which bytes are one number, and that on what is read first: all eight, or
   the lower four of them. The branches before make many paths that have read neither. */
void klee_make_symbolic(void *, unsigned long, const char *);
void *memcpy(void *, const void *, unsigned long);

int main(void) {
    unsigned char before[4], in[12], side;
    klee_make_symbolic(before, sizeof before, "before");
    klee_make_symbolic(&side, 1, "side");
    klee_make_symbolic(in, sizeof in, "in");
    int found = 0;
    for (int i = 0; i < 4; i++)
        if (before[i] > 100)
            found += 8;
    long all;
    int lower;
    memcpy(&all, in, 8);
    memcpy(&lower, in, 4);
    if ((side == 0) == ALL_FIRST) {
        if (all > 1000000000000)
            found |= 1;
    } else {
        if (lower > 5)
            found |= 2;
    }
    if (lower + 1 < lower)
        found |= 4;
    return found;
}
