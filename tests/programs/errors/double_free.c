// Memory freed by two owners.
#include <stdlib.h>

struct Pair {
    char *first, *second;
};

static void release(struct Pair *pair) {
    free(pair->first);
    free(pair->second);
}

int main(void) {
    struct Pair pair;
    pair.first = pair.second = malloc(12);
    release(&pair);
    return 0;
}
