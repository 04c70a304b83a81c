// Advice against mid-air collisions: TCAS of Memoise (Yang, Pasareanu and Khurshid, 2012), written anew from the public
// specification of the Siemens suite's program (Hutchins, Foster, Goradia and Ostrand, 1994).
//
// From tracked altitudes, separations and what the other aircraft can do and intends, the system advises to climb, to
// descend, or neither. All twelve inputs are symbolic. `--cflags=-DMUTANT=n` makes version n of the suite's faulty
// ones, of which the paper has 6, 25 and 30.
//
// GreenTrie (Jia, Ghezzi and Ying, 2015) explores other versions: its table 3. `--cflags=-DVERSION=n` makes them:
//
//   0            the program as it is
//   1, 2, 3      additions, each to the one before: a layer more; climbing is inhibited only if the aircraft does not
//                descend fast; nobody climbs towards an aircraft that intends to descend. Deletions are the same
//                backwards: from 3 to 2, 1 and 0
//   11, 12, 13   modifications of version 0: another comparison of the rate, another separation in layer 1, another
//                comparison of the vertical separation
#include <klee/klee.h>

// In feet, and feet a minute.
enum { MAX_RATE = 600, MAX_DIFFERENCE = 600, MIN_SEPARATION = 300, NO_CROSSING = 100 };

enum advice { UNRESOLVED, CLIMB, DESCEND };

enum { NO_INTENT = 0, WILL_DESCEND = 2 };
enum { EQUIPPED = 1 };

static struct {
    int vertical_separation;
    int high_confidence;
    int two_of_three_reports_valid;
    int own_altitude;
    int own_rate;
    int other_altitude;
    int altitude_layer;
    int up_separation;
    int down_separation;
    int other_intent;
    int other_capability;
    int climb_inhibited;
} in;

// The separation that is enough in a layer.
static int enough(void) {
    if (in.altitude_layer == 0)
        return 400;
    if (in.altitude_layer == 1)
#if VERSION == 12
        return 550;
#else
        return 500;
#endif
    if (in.altitude_layer == 2)
        return 640;
#if VERSION >= 1 && VERSION <= 3
    if (in.altitude_layer != 3)
        return 800;
#endif
    return 740;
}

static int biased_up_separation(void) {
#if MUTANT == 30
    return in.up_separation + NO_CROSSING;
#else
#if VERSION == 2 || VERSION == 3
    if (in.climb_inhibited && in.own_rate >= -MAX_RATE)
#else
    if (in.climb_inhibited)
#endif
        return in.up_separation + NO_CROSSING;
    return in.up_separation;
#endif
}

static int own_below(void) {
#if MUTANT == 6
    return in.own_altitude <= in.other_altitude;
#else
    return in.own_altitude < in.other_altitude;
#endif
}

static int own_above(void) { return in.other_altitude < in.own_altitude; }

static int climb_without_crossing(void) {
#if VERSION == 3
    if (in.other_intent == WILL_DESCEND)
        return 0;
#endif
    if (biased_up_separation() > in.down_separation)
        return !own_below() || (own_below() && !(in.down_separation >= enough()));
    return own_above() && in.vertical_separation >= MIN_SEPARATION && in.up_separation >= enough();
}

static int descend_without_crossing(void) {
    if (biased_up_separation() > in.down_separation)
#if VERSION == 13
        return own_below() && in.vertical_separation > MIN_SEPARATION && in.down_separation > enough();
#else
        return own_below() && in.vertical_separation >= MIN_SEPARATION && in.down_separation >= enough();
#endif
#if MUTANT == 25
    return !own_above() || (own_above() && in.up_separation > enough());
#else
    return !own_above() || (own_above() && in.up_separation >= enough());
#endif
}

static enum advice advise(void) {
#if VERSION == 11
    int enabled = in.high_confidence && in.own_rate < MAX_RATE && in.vertical_separation > MAX_DIFFERENCE;
#else
    int enabled = in.high_confidence && in.own_rate <= MAX_RATE && in.vertical_separation > MAX_DIFFERENCE;
#endif
    int equipped = in.other_capability == EQUIPPED;
    int intent_unknown = in.two_of_three_reports_valid && in.other_intent == NO_INTENT;
    if (!enabled || (equipped && !intent_unknown))
        return UNRESOLVED;
    int climb = climb_without_crossing() && own_below();
    int descend = descend_without_crossing() && own_above();
    if (climb && descend)
        return UNRESOLVED;
    if (climb)
        return CLIMB;
    return descend ? DESCEND : UNRESOLVED;
}

int main(void) {
    klee_make_symbolic(&in.vertical_separation, sizeof(int), "vertical_separation");
    klee_make_symbolic(&in.high_confidence, sizeof(int), "high_confidence");
    klee_make_symbolic(&in.two_of_three_reports_valid, sizeof(int), "two_of_three_reports_valid");
    klee_make_symbolic(&in.own_altitude, sizeof(int), "own_altitude");
    klee_make_symbolic(&in.own_rate, sizeof(int), "own_rate");
    klee_make_symbolic(&in.other_altitude, sizeof(int), "other_altitude");
    klee_make_symbolic(&in.altitude_layer, sizeof(int), "altitude_layer");
    klee_make_symbolic(&in.up_separation, sizeof(int), "up_separation");
    klee_make_symbolic(&in.down_separation, sizeof(int), "down_separation");
    klee_make_symbolic(&in.other_intent, sizeof(int), "other_intent");
    klee_make_symbolic(&in.other_capability, sizeof(int), "other_capability");
    klee_make_symbolic(&in.climb_inhibited, sizeof(int), "climb_inhibited");
    return advise();
}
