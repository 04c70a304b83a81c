// Mean and variance in one pass (Welford, 1962), and whether a further value is an outlier.
#include <klee/klee.h>
#include <math.h>

enum { N = 4 };
enum { ORDINARY, HIGH, LOW, ALL_SAME, OVERFLOW, TOO_FEW };

static int judge(const float *values, float x) {
    float mean = 0, squares = 0;
    int count = 0;
    for (int i = 0; i < N; i++) {
        if (isnan(values[i])) // missing
            continue;
        count++;
        float delta = values[i] - mean;
        mean += delta / count;
        squares += delta * (values[i] - mean);
    }
    if (count < 2)
        return TOO_FEW;
    float variance = squares / (count - 1);
    if (!isfinite(variance) || !isfinite(mean))
        return OVERFLOW;
    if (variance == 0)
        return ALL_SAME;
    float distance = (x - mean) / sqrtf(variance);
    if (distance > 3)
        return HIGH;
    return distance < -3 ? LOW : ORDINARY;
}

int main(void) {
    float values[N], x;
    klee_make_symbolic(values, sizeof values, "values");
    klee_make_symbolic(&x, sizeof x, "x");
    return judge(values, x);
}
