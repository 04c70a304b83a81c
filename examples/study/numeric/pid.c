// A PID controller with a dead band, limits of its output, and an integral that stands still while they act: four steps.
#include <klee/klee.h>
#include <math.h>

enum { STEPS = 4 };
enum { SETTLED, WORKING, SATURATED, SENSOR_LOST, WIND_UP };

struct controller {
    float integral, last;
    int saturated, lost, quiet;
};

static float step(struct controller *c, float target, float measured) {
    if (!(measured > -1000 && measured < 1000)) {
        c->lost++;
        return 0;
    }
    float error = target - measured;
    if (fabsf(error) < 0.1f) {
        c->quiet++;
        error = 0;
    }
    float output = 2 * error + c->integral + 0.5f * (error - c->last);
    c->last = error;
    if (output > 100 || output < -100) {
        c->saturated++;
        return copysignf(100, output);
    }
    c->integral += 0.1f * error;
    return output;
}

int main(void) {
    float measured[STEPS];
    struct controller c = {0};
    klee_make_symbolic(measured, sizeof measured, "measured");
    for (int i = 0; i < STEPS; i++) {
        step(&c, 20, measured[i]);
        if (c.lost > 1)
            return SENSOR_LOST;
    }
    if (fabsf(c.integral) > 40)
        return WIND_UP;
    if (c.saturated > 2)
        return SATURATED;
    return c.quiet == STEPS ? SETTLED : WORKING;
}
