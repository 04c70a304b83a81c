// A call through a pointer to data.
#include <stdint.h>

static int data = 5;
typedef int (*Function)(void);

static int call(Function function) {
    return function();
}

int main(void) {
    return call((Function)(uintptr_t)&data);
}
