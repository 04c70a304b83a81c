// inputs: v[3]=0..5 gone=0..5
// paths: 24
// A sorted list: three insertions, one removal.
#include <klee/klee.h>
#include <stdlib.h>

struct node {
    int value;
    struct node *next;
};

static void insert(struct node **list, int value) {
    while (*list && (*list)->value < value) list = &(*list)->next;
    struct node *node = malloc(sizeof *node);
    node->value = value;
    node->next = *list;
    *list = node;
}

static int take_out(struct node **list, int value) {
    for (; *list; list = &(*list)->next)
        if ((*list)->value == value) {
            struct node *gone = *list;
            *list = gone->next;
            free(gone);
            return 1;
        }
    return 0;
}

int main(void) {
    unsigned char v[3], gone;
    klee_make_symbolic(v, 3, "v");
    for (int i = 0; i < 3; i++) klee_assume(v[i] < 6);
    klee_make_symbolic(&gone, 1, "gone");
    klee_assume(gone < 6);
    struct node *list = NULL;
    for (int i = 0; i < 3; i++) insert(&list, v[i]);
    if (!take_out(&list, gone)) return 1;
    int left = 0;
    for (struct node *node = list; node; node = node->next) left++;
    return left == 2 ? 0 : 9;
}
