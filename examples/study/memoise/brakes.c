// The controller of an aircraft's wheel brakes, after the example of ARP 4761 that is WBS in Memoise (Yang, Pasareanu
// and Khurshid, 2012): written anew from what the standard says of the system.
//
// At each step the controller reads the pedal, whether automatic braking is on, and whether a wheel skids, and sets the
// pressure of two lines. The normal line obeys the controller; when it fails to deliver what it was told to, the
// controller selects the alternate line, which obeys the pedal alone, and stays with it. STEPS steps are explored: 24
// paths each.
#include <assert.h>
#include <klee/klee.h>

#ifndef STEPS
#define STEPS 4
#endif

enum { RELEASED = 0, FULL = 5, AUTOMATIC = 4 };

enum mode { NORMAL, ALTERNATE };

// What the controller remembers from one step to the next.
static struct {
    enum mode mode;
    int commanded;  // to the normal line
    int skidded;
} past;

// What it sets.
static struct {
    int normal, alternate;
    enum mode mode;
} lines;

struct sensors {
    int pedal, automatic, skid;
};

// The pressure that the pedal asks for: it has detents, and what is not one of them is the floor.
static int wanted_by_pedal(int pedal) {
    if (pedal == 0)
        return RELEASED;
    if (pedal == 1)
        return 1;
    if (pedal == 2)
        return 2;
    if (pedal == 3)
        return 3;
    if (pedal == 4)
        return 4;
    return FULL;
}

// The automatic brake stands in where the pilot does not brake harder.
static int command(int wanted, int automatic) {
    if (automatic)
        return wanted < AUTOMATIC ? AUTOMATIC : wanted;
    return wanted;
}

// A wheel that skids is released, and gets its pressure back by half.
static int without_skid(int command, int skid) {
    if (skid)
        return RELEASED;
    if (past.skidded)
        return (command + 1) / 2;
    return command;
}

// The pump of the normal line cannot go from nothing to full pressure within a step.
static int delivered(int commanded) {
    return past.commanded == RELEASED && commanded == FULL ? RELEASED : commanded;
}

static enum mode select(int commanded, int pressure) {
    if (past.mode == ALTERNATE)
        return ALTERNATE;
    return commanded != RELEASED && pressure == RELEASED ? ALTERNATE : NORMAL;
}

static void step(struct sensors now) {
    int wanted = wanted_by_pedal(now.pedal);
    int commanded = without_skid(command(wanted, now.automatic), now.skid);
    int pressure = delivered(commanded);
    lines.mode = select(commanded, pressure);
    lines.normal = lines.mode == NORMAL ? pressure : RELEASED;
    lines.alternate = lines.mode == ALTERNATE ? wanted : RELEASED;
    past.mode = lines.mode;
    past.commanded = commanded;
    past.skidded = now.skid != 0;
}

int main(void) {
    for (int i = 0; i < STEPS; i++) {
        struct sensors now;
        klee_make_symbolic(&now.pedal, sizeof now.pedal, "pedal");
        klee_make_symbolic(&now.automatic, sizeof now.automatic, "automatic");
        klee_make_symbolic(&now.skid, sizeof now.skid, "skid");
        step(now);
        assert(lines.normal == RELEASED || lines.alternate == RELEASED);
    }
    return lines.normal + lines.alternate;
}
