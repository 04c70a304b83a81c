// inputs: x=0..3 y=0..3 steps[3]=0..3
// paths: 137
// A walk on a two-dimensional board, which is an array of arrays and a pointer to one.
#include <klee/klee.h>

static char board[4][4] = {"..#.", ".#..", "....", "#..$"};

int main(void) {
    int x = klee_range(0, 4, "x"), y = klee_range(0, 4, "y");
    unsigned char steps[3];
    klee_make_symbolic(steps, sizeof steps, "steps");
    klee_assume((steps[0] < 4) & (steps[1] < 4) & (steps[2] < 4));
    char(*row)[4] = &board[y];
    for (int i = 0; i < 3; i++) {
        if ((*row)[x] == '#') return 1;
        if ((*row)[x] == '$') return 2;
        (*row)[x] = '+';
        switch (steps[i]) {
        case 0:
            if (x == 3) return 3;
            x++;
            break;
        case 1:
            if (row == board + 3) return 3;
            row++;
            break;
        case 2:
            if (--x < 0) return 3;
            break;
        default:
            if (row-- == board) return 3;
        }
    }
    if ((*row)[x] == '+') return 4;
    return 5;
}
