// A length whose square is no number of the type.
#include <math.h>

static float length(float x, float y) {
    return sqrtf(x * x + y * y);
}

int main(void) {
    volatile float large = 3e19f;
    return length(1, large) > 1;
}
