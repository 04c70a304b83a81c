// A product of two matrices of doubles.
#include <stdio.h>

#define N 96
static double a[N][N], b[N][N], c[N][N];

int main(void) {
    for (int i = 0; i < N; i++)
        for (int j = 0; j < N; j++) {
            a[i][j] = (i * 7 + j) % 13;
            b[i][j] = (i + j * 5) % 11;
        }
    double sum = 0;
    for (int round = 0; round < ROUNDS; round++) {
        for (int i = 0; i < N; i++)
            for (int j = 0; j < N; j++) {
                double s = 0;
                for (int k = 0; k < N; k++) s += a[i][k] * b[k][j];
                c[i][j] = s;
            }
        sum += c[round % N][(round * 3) % N];
    }
    printf("%.1f\n", sum);
    return 0;
}
