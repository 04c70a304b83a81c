// A list that is kept in order: SortedListInt of table 4 of the partial-solution cache (Shuai, Chen, Ma, Liu and
// others, 2024), written anew.
//
// SIZE operations on symbolic numbers, each of which input chooses: insert, take away, find, or cut off everything
// from a number on. The list is checked after each: its size asks nothing, and its order follows from the path
// condition.
#include <assert.h>
#include <klee/klee.h>
#include <stddef.h>

#ifndef SIZE
#define SIZE 5
#endif

struct node {
    int value;
    struct node *next;
};

static struct node nodes[SIZE], *first;
static int used, size;

// Where the first node is linked whose value is not less; at the end, where there would be another one.
static struct node **place(int value) {
    struct node **at = &first;
    while (*at && (*at)->value < value)
        at = &(*at)->next;
    return at;
}

static void insert(int value) {
    struct node **at = place(value), *node = &nodes[used++];
    node->value = value;
    node->next = *at;
    *at = node;
    size++;
}

static int take(int value) {
    struct node **at = place(value);
    if (!*at || (*at)->value != value)
        return 0;
    *at = (*at)->next;
    size--;
    return 1;
}

static int find(int value) {
    struct node *node = *place(value);
    return node && node->value == value;
}

static void cut(int value) {
    struct node **at = place(value);
    for (const struct node *node = *at; node; node = node->next)
        size--;
    *at = NULL;
}

static void check(void) {
    int count = 0;
    for (const struct node *node = first; node; node = node->next) {
        count++;
        assert(!node->next || node->value <= node->next->value);
    }
    assert(count == size);
}

int main(void) {
    int found = 0;
    for (int i = 0; i < SIZE; i++) {
        int operation, value;
        klee_make_symbolic(&operation, sizeof operation, "operation");
        klee_make_symbolic(&value, sizeof value, "value");
        if (operation == 0)
            insert(value);
        else if (operation == 1)
            found += take(value);
        else if (operation == 2)
            found += find(value);
        else
            cut(value);
        check();
    }
    return 10 * size + found;
}
