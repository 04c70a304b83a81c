// inputs: n=0..4 k=0..4
// paths: 10
// Memory of the stack that is made in a loop and lives until the function returns.
#include <alloca.h>
#include <klee/klee.h>

struct node {
    struct node *next;
    int value;
};

int main(void) {
    int n = klee_range(0, 5, "n"), k = klee_range(0, 5, "k");
    struct node *list = 0;
    for (int i = 0; i < n; i++) {
        struct node *node = alloca(sizeof *node);
        node->next = list;
        node->value = i * k;
        list = node;
    }
    int sum = 0;
    for (struct node *node = list; node; node = node->next) sum += node->value;
    if (sum > 9) return 1;
    if (sum == 0) return 2;
    return 3;
}
