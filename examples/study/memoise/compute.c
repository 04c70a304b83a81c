// How far a value is from its threshold: the running example of Memoise (Yang, Pasareanu and Khurshid, 2012), figure 1.
//
// From below, the distance, or 0 if one step is enough; from above, how many steps it takes to get there. The loop has
// no end in sight, so only a bound on the depth ends the exploration. With `--cflags=-DMUTANT=1` one return value is
// another, which is the change of section IV-A3.
#include <klee/klee.h>

static int compute(int curr, int thresh, int step) {
    int delta = 0;
    if (curr < thresh) {
        delta = thresh - curr;
        if (curr + step < thresh)
#if MUTANT == 1
            return delta;
#else
            return -delta;
#endif
        return 0;
    }
    int counter = 0;
    while (curr >= thresh) {
        curr = curr - step;
        counter++;
    }
    return counter;
}

int main(void) {
    int curr, thresh, step;
    klee_make_symbolic(&curr, sizeof curr, "curr");
    klee_make_symbolic(&thresh, sizeof thresh, "thresh");
    klee_make_symbolic(&step, sizeof step, "step");
    return compute(curr, thresh, step);
}
