// A list whose nodes are freed before their links are read.
#include <stdlib.h>

struct Node {
    struct Node *next;
    int value;
};

static void release(struct Node *node) {
    while (node) {
        free(node);
        node = node->next;
    }
}

int main(void) {
    struct Node *list = NULL;
    for (int i = 0; i < 3; i++) {
        struct Node *node = malloc(sizeof *node);
        node->next = list;
        node->value = i;
        list = node;
    }
    release(list);
    return 0;
}
