// inputs: s[3]='+','-','=' n=1..3
// paths: 31
// An array that grows and shrinks by realloc: what it held before is still there.
#include <klee/klee.h>
#include <stdlib.h>

struct list {
    int *items;
    unsigned len, room;
};

static int push(struct list *list, int item) {
    if (list->len == list->room) {
        list->room = list->room ? 2 * list->room : 1;
        list->items = realloc(list->items, list->room * sizeof *list->items);
        if (!list->items) return 0;
    }
    list->items[list->len++] = item;
    return 1;
}

int main(void) {
    char s[3];
    klee_make_symbolic(s, sizeof s, "s");
    for (int i = 0; i < 3; i++) klee_assume((s[i] == '+') | (s[i] == '-') | (s[i] == '='));
    int n = klee_range(1, 4, "n");
    struct list list = {0, 0, 0};
    for (int i = 0; i < 3; i++) {
        if (s[i] == '+') {
            if (!push(&list, n * i)) return 1; /* never */
        } else if (s[i] == '-') {
            if (list.len > 0) list.items = realloc(list.items, (list.room = --list.len) * sizeof *list.items);
        } else if (list.len > 1 && list.items[0] + list.items[1] > 2) {
            return 2;
        }
    }
    int sum = 0;
    for (unsigned i = 0; i < list.len; i++) sum += list.items[i];
    free(list.items);
    if (sum > 6) return 3;
    return 4;
}
