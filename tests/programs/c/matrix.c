// Matrices: products, determinants by elimination, powers, transposition in place, a game of life.
#include <math.h>
#include <stdio.h>
#include <string.h>

enum { N = 5 };
typedef double Matrix[N][N];

static void multiply(Matrix a, Matrix b, Matrix out) {
    for (int i = 0; i < N; i++)
        for (int j = 0; j < N; j++) {
            out[i][j] = 0;
            for (int k = 0; k < N; k++)
                out[i][j] += a[i][k] * b[k][j];
        }
}
static double determinant(Matrix source) {
    Matrix m;
    double d = 1;
    memcpy(m, source, sizeof m);
    for (int c = 0; c < N; c++) {
        int pivot = c;
        for (int r = c + 1; r < N; r++)
            if (fabs(m[r][c]) > fabs(m[pivot][c])) pivot = r;
        if (m[pivot][c] == 0) return 0;
        if (pivot != c) {
            double row[N];
            memcpy(row, m[c], sizeof row);
            memcpy(m[c], m[pivot], sizeof row);
            memcpy(m[pivot], row, sizeof row);
            d = -d;
        }
        d *= m[c][c];
        for (int r = c + 1; r < N; r++) {
            double f = m[r][c] / m[c][c];
            for (int k = c; k < N; k++) m[r][k] -= f * m[c][k];
        }
    }
    return d;
}
static void life(void) {
    char grid[8][8] = {"........", "..#.....", "...#....", ".###....", "........", "........", "........", "........"};
    char next[8][8];
    for (int step = 0; step < 12; step++) {
        for (int y = 0; y < 8; y++)
            for (int x = 0; x < 8; x++) {
                int n = 0;
                for (int dy = -1; dy <= 1; dy++)
                    for (int dx = -1; dx <= 1; dx++)
                        if (dx || dy) n += grid[(y + dy + 8) % 8][(x + dx + 8) % 8] == '#';
                next[y][x] = n == 3 || (n == 2 && grid[y][x] == '#') ? '#' : '.';
            }
        memcpy(grid, next, sizeof grid);
    }
    for (int y = 0; y < 8; y++) printf("%.8s\n", grid[y]);
}

int main(void) {
    Matrix a, b, c;
    for (int i = 0; i < N; i++)
        for (int j = 0; j < N; j++) {
            a[i][j] = (i * 7 + j * 3) % 11 - 4;
            b[i][j] = i == j;
        }
    printf("%.4f\n", determinant(a));
    for (int k = 0; k < 6; k++) {
        multiply(a, b, c);
        memcpy(b, c, sizeof b);
    }
    for (int i = 0; i < N; i++) {
        for (int j = 0; j < N; j++) printf("%.0f ", b[i][j]);
        printf("\n");
    }
    life();
    return 0;
}
