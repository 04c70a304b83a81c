// inputs: a=0..3 b=0..3 c=0..3 d=0..3
// paths: 6
// A product of matrices over constant bounds, then decisions about it: symmetric or not, three signs of the determinant.
#include <klee/klee.h>

static void multiply(int out[2][2], int x[2][2], int y[2][2]) {
    for (int i = 0; i < 2; i++)
        for (int j = 0; j < 2; j++) {
            out[i][j] = 0;
            for (int k = 0; k < 2; k++) out[i][j] += x[i][k] * y[k][j];
        }
}

int main(void) {
    int a = klee_range(0, 4, "a"), b = klee_range(0, 4, "b");
    int c = klee_range(0, 4, "c"), d = klee_range(0, 4, "d");
    int x[2][2] = {{a, b}, {c, d}}, swap[2][2] = {{0, 1}, {1, 0}}, product[2][2];
    multiply(product, x, swap);
    int status = 0;
    if (product[0][0] == product[1][1]) status += 4;
    int determinant = product[0][0] * product[1][1] - product[0][1] * product[1][0];
    if (determinant < 0) return status + 1;
    if (determinant == 0) return status + 2;
    return status + 3;
}
