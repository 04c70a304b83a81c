// inputs: events[3]=0..4
// paths: 64
// A table of structures with pointers to functions, as drivers have it; an event may change the table.
#include <klee/klee.h>

struct handler {
    char event;
    int (*run)(struct handler *self, int value);
    int weight;
};

static int skip(struct handler *self, int value) { return value + self->weight; }

static int rise(struct handler *self, int value) {
    self->weight++;
    return value * 2 + self->weight;
}

static int turn(struct handler *self, int value) {
    self->run = self->run == turn ? skip : turn;
    return value;
}

static struct handler handlers[] = {{'s', skip, 1}, {'r', rise, 0}, {'t', turn, 3}, {0, 0, 0}};

int main(void) {
    unsigned char events[3];
    klee_make_symbolic(events, sizeof events, "events");
    klee_assume((events[0] < 5) & (events[1] < 5) & (events[2] < 5));
    int value = 1;
    for (int i = 0; i < 3; i++) {
        struct handler *found;
        switch (events[i]) {
        case 0: found = &handlers[0]; break;
        case 1: found = &handlers[1]; break;
        case 2: found = &handlers[2]; break;
        default: found = &handlers[3];
        }
        if (found->run) value = found->run(found, value);
        if (value > 9) return 2;
    }
    return value > 5;
}
