// An arbiter of a Mars rover's resources, with two users and five resources: after MerArbiter of Memoise (Yang,
// Pasareanu and Khurshid, 2012), whose model is not public; written anew from what the paper says of it.
//
// Users, such as the one that takes images and the one that drives, ask for resources. Some of these must not be in use
// at the same time: nobody talks to Earth while the rover drives. The arbiter grants what conflicts with nothing; of
// two that conflict it prefers the one of higher priority, and asks for the other back. All parts are state machines:
// tables of transitions, each with a guard and an action, as they come out of a chart. What users want is symbolic.
// With `--cflags=-DMUTANT=1` a guard returns another value, with 2 it has another operator.
#include <assert.h>
#include <klee/klee.h>
#include <stddef.h>

#ifndef STEPS
#define STEPS 5
#endif

enum { USERS = 2, RESOURCES = 5 };

enum resource { CAMERA, ARM, DRIVE, ANTENNA, HEATER, NO_RESOURCE };

// What users and arbiter say to each other.
enum message { SILENCE, REQUEST, CANCEL, GRANT, DENY, RESCIND };

enum user_state { IDLE, PENDING, ACTIVE, RETURNING };

// What the arbiter knows of a user: nothing in use, something in use, asked to give it back.
enum holder_state { FREE, HELD, RECALLED };

struct user {
    enum user_state state;
    enum resource resource;
    int was_denied;
};

struct holder {
    enum holder_state state;
    enum resource resource;
    // What is granted to the other user as soon as this one has returned its own.
    enum resource awaited;
};

// One message at a time, in each direction.
struct mail {
    enum message message;
    enum resource resource;
};

static struct user users[USERS];
static struct holder holders[USERS];
static struct mail to_arbiter[USERS], to_user[USERS];

static const int conflicts[RESOURCES][RESOURCES] = {
    [CAMERA] = {[CAMERA] = 1, [DRIVE] = 1},
    [ARM] = {[ARM] = 1, [DRIVE] = 1},
    [DRIVE] = {[CAMERA] = 1, [ARM] = 1, [DRIVE] = 1, [ANTENNA] = 1},
    [ANTENNA] = {[DRIVE] = 1, [ANTENNA] = 1},
    [HEATER] = {[HEATER] = 1},
};

static const int priority[RESOURCES] = {[CAMERA] = 1, [ARM] = 2, [DRIVE] = 3, [ANTENNA] = 4, [HEATER] = 2};

static int other(int user) { return 1 - user; }

static void tell_arbiter(int user, enum message message, enum resource resource) {
    to_arbiter[user] = (struct mail){message, resource};
}

static void tell_user(int user, enum message message, enum resource resource) {
    to_user[user] = (struct mail){message, resource};
}

static int arbiter_hears(int user, enum message message) { return to_arbiter[user].message == message; }

static int user_hears(int user, enum message message) { return to_user[user].message == message; }

// A chart: the first transition whose guard holds is taken.
struct transition {
    int from, to;
    int (*guard)(int user);
    void (*action)(int user);
};

static int take(const struct transition *chart, size_t count, int state, int user) {
    for (size_t i = 0; i < count; i++) {
        if (chart[i].from == state && chart[i].guard(user)) {
            if (chart[i].action)
                chart[i].action(user);
            return chart[i].to;
        }
    }
    return state;
}

#define COUNT(array) (sizeof(array) / sizeof *(array))

// Users.

static int wants(void) {
    int wants;
    klee_make_symbolic(&wants, sizeof wants, "wants");
    return wants != 0;
}

static enum resource chosen(void) {
    int choice;
    klee_make_symbolic(&choice, sizeof choice, "choice");
    for (int resource = 0; resource < RESOURCES - 1; resource++) {
        if (choice == resource)
            return (enum resource)resource;
    }
    return RESOURCES - 1;
}

static int user_starts(int user) { return !users[user].was_denied && wants(); }

static int user_is_granted(int user) { return user_hears(user, GRANT); }

static int user_is_denied(int user) { return user_hears(user, DENY); }

static int user_is_recalled(int user) { return user_hears(user, RESCIND); }

static int user_has_finished(int user) {
    (void)user;
    return wants();
}

static int always(int user) {
    (void)user;
    return 1;
}

static void user_asks(int user) {
    users[user].resource = chosen();
    tell_arbiter(user, REQUEST, users[user].resource);
}

static void user_gives_up(int user) {
    users[user].was_denied = 1;
    users[user].resource = NO_RESOURCE;
}

static void user_returns(int user) {
    tell_arbiter(user, CANCEL, users[user].resource);
    users[user].resource = NO_RESOURCE;
}

static const struct transition user_chart[] = {
    {IDLE, PENDING, user_starts, user_asks},
    {PENDING, ACTIVE, user_is_granted, NULL},
    {PENDING, RETURNING, user_is_recalled, NULL},
    {PENDING, IDLE, user_is_denied, user_gives_up},
    {ACTIVE, RETURNING, user_is_recalled, NULL},
    {ACTIVE, IDLE, user_has_finished, user_returns},
    {RETURNING, IDLE, always, user_returns},
};

static void user_step(int user) {
    users[user].state = (enum user_state)take(user_chart, COUNT(user_chart), users[user].state, user);
    to_user[user] = (struct mail){SILENCE, NO_RESOURCE};
}

// The arbiter.

static enum resource requested(int user) { return to_arbiter[user].resource; }

static int in_conflict(int user) {
    const struct holder *holder = &holders[other(user)];
    return holder->state != FREE && conflicts[requested(user)][holder->resource];
}

static int has_precedence(int user) {
#if MUTANT == 1
    return 1;
#else
    return priority[requested(user)] > priority[holders[other(user)].resource];
#endif
}

static int may_be_granted(int user) { return arbiter_hears(user, REQUEST) && !in_conflict(user); }

static int must_wait(int user) {
    return arbiter_hears(user, REQUEST) && holders[other(user)].state == HELD && has_precedence(user);
}

static int is_refused(int user) { return arbiter_hears(user, REQUEST); }

static int is_returned(int user) { return arbiter_hears(user, CANCEL); }

static int is_returned_for_nobody(int user) {
#if MUTANT == 2
    return arbiter_hears(user, CANCEL) && holders[user].awaited != NO_RESOURCE;
#else
    return arbiter_hears(user, CANCEL) && holders[user].awaited == NO_RESOURCE;
#endif
}

static void grant(int user) {
    holders[user].resource = requested(user);
    tell_user(user, GRANT, requested(user));
}

static void recall(int user) {
    struct holder *holder = &holders[other(user)];
    holder->state = RECALLED;
    holder->awaited = requested(user);
    tell_user(other(user), RESCIND, holder->resource);
}

static void refuse(int user) { tell_user(user, DENY, requested(user)); }

static void release(int user) { holders[user].resource = NO_RESOURCE; }

static void pass_on(int user) {
    struct holder *next = &holders[other(user)];
    next->state = HELD;
    next->resource = holders[user].awaited;
    holders[user].awaited = NO_RESOURCE;
    release(user);
    tell_user(other(user), GRANT, next->resource);
}

static const struct transition arbiter_chart[] = {
    {FREE, HELD, may_be_granted, grant},
    {FREE, FREE, must_wait, recall},
    {FREE, FREE, is_refused, refuse},
    {HELD, FREE, is_returned, release},
    {RECALLED, FREE, is_returned_for_nobody, release},
    {RECALLED, FREE, is_returned, pass_on},
};

static void arbiter_step(int user) {
    int state = take(arbiter_chart, COUNT(arbiter_chart), holders[user].state, user);
    holders[user].state = (enum holder_state)state;
    to_arbiter[user] = (struct mail){SILENCE, NO_RESOURCE};
}

// No two resources that conflict are in use at the same time.
static int is_safe(void) {
    const struct user *one = &users[0], *two = &users[1];
    int both = one->state == ACTIVE && two->state == ACTIVE;
    return !both || !conflicts[one->resource][two->resource];
}

int main(void) {
    for (int user = 0; user < USERS; user++) {
        users[user].resource = NO_RESOURCE;
        holders[user].resource = holders[user].awaited = NO_RESOURCE;
    }
    for (int step = 0; step < STEPS; step++) {
        for (int user = 0; user < USERS; user++)
            user_step(user);
        for (int user = 0; user < USERS; user++)
            arbiter_step(user);
        assert(is_safe());
    }
    return 0;
}
