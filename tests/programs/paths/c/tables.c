// inputs: i=0..63 j=0..15
// paths: 7
// Reads of constant tables at symbolic indices, of one as the index of another, and decisions about what was read.
#include <klee/klee.h>

static const unsigned char squares[64] = {
    0,  1,  4,  9,  16, 25, 36, 49, 0,  17, 36, 57, 16, 41, 4,  33, 0,  33, 4,  41, 16, 57, 36, 17, 0,  49, 36, 25, 16, 9,  4,  1,
    0,  1,  4,  9,  16, 25, 36, 49, 0,  17, 36, 57, 16, 41, 4,  33, 0,  33, 4,  41, 16, 57, 36, 17, 0,  49, 36, 25, 16, 9,  4,  1};
static const short weights[16] = {5, -3, 12, 7, 0, 0, 900, -77, 31, 8, 8, 8, -1, 2, 3, 64};

int main(void) {
    unsigned char i, j;
    klee_make_symbolic(&i, 1, "i");
    klee_assume(i < 64);
    klee_make_symbolic(&j, 1, "j");
    klee_assume(j < 16);
    int square = squares[i];
    if (square == 57) return weights[i & 15] < 0 ? 1 : 2;
    if (square > 40) return weights[square & 15] == 900 ? 3 : 4;
    int weight = weights[j];
    if (weight < 0) {
        if (squares[-weight & 63] == 41) return 5;
        return 6;
    }
    if (weight == 900 && square == 0) return 7;
    return 8;
}
