// atexit handlers in order, nested exits, an exit status that is not zero.
#include <stdio.h>
#include <stdlib.h>

static void first(void) { printf("first registered, last run\n"); }
static void second(void) { printf("second\n"); }
static void third(void) { printf("third, run first\n"); }
__attribute__((constructor)) static void before(void) { printf("before main\n"); }
__attribute__((destructor)) static void after(void) { printf("after everything\n"); }
static void leave(int depth) {
    if (depth == 0)
        exit(42);
    leave(depth - 1);
}

int main(void) {
    atexit(first);
    atexit(second);
    atexit(third);
    printf("main\n");
    leave(5);
    return 0;
}
