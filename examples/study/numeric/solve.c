// Three linear equations by elimination with partial pivoting; two of them by Cramer's rule if the third is trivial.
#include <klee/klee.h>
#include <math.h>

enum { N = 3 };
enum { SOLVED, CRAMER, SWAPPED, SINGULAR, NEARLY_SINGULAR, OVERFLOW, INVALID };

static int cramer(float (*a)[N + 1]) {
    float determinant = a[0][0] * a[1][1] - a[0][1] * a[1][0];
    if (determinant == 0)
        return SINGULAR;
    float x = (a[0][N] * a[1][1] - a[0][1] * a[1][N]) / determinant;
    float y = (a[0][0] * a[1][N] - a[0][N] * a[1][0]) / determinant;
    return isfinite(x) && isfinite(y) ? CRAMER : OVERFLOW;
}

static int solve(float (*a)[N + 1]) {
    for (int i = 0; i < N; i++)
        for (int j = 0; j <= N; j++)
            if (!isfinite(a[i][j]))
                return INVALID;
    if (a[2][0] == 0 && a[2][1] == 0 && a[2][3] == 0 && a[2][2] != 0)
        return cramer(a);
    int swaps = 0;
    for (int column = 0; column < N; column++) {
        int pivot = column;
        for (int i = column + 1; i < N; i++)
            if (fabsf(a[i][column]) > fabsf(a[pivot][column]))
                pivot = i;
        if (a[pivot][column] == 0)
            return SINGULAR;
        if (fabsf(a[pivot][column]) < 1e-30f)
            return NEARLY_SINGULAR;
        if (pivot != column) {
            swaps++;
            for (int j = 0; j <= N; j++) {
                float t = a[pivot][j];
                a[pivot][j] = a[column][j];
                a[column][j] = t;
            }
        }
        for (int i = column + 1; i < N; i++) {
            float factor = a[i][column] / a[column][column];
            for (int j = column; j <= N; j++)
                a[i][j] -= factor * a[column][j];
        }
    }
    for (int i = N - 1; i >= 0; i--) {
        for (int j = i + 1; j < N; j++)
            a[i][N] -= a[i][j] * a[j][N];
        a[i][N] /= a[i][i];
        if (!isfinite(a[i][N]))
            return OVERFLOW;
    }
    return swaps > 0 ? SWAPPED : SOLVED;
}

int main(void) {
    float a[N][N + 1];
    klee_make_symbolic(a, sizeof a, "a");
    return solve(a);
}
