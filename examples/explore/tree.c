// A red-black tree: whatever keys are inserted, it stays balanced.
//
// KEYS keys are symbolic. After each insertion the tree is checked: in order, no red node below a red one, the same
// number of black nodes on every way down. Paths are the shapes that insertions go through. With `--cflags=-DMISTAKE`
// one recolouring is forgotten: the report shows the keys, in the order in which they break it.
#include <assert.h>
#include <klee/klee.h>
#include <stddef.h>

#ifndef KEYS
#define KEYS 5
#endif

enum colour { BLACK, RED };

struct node {
    unsigned char key;
    enum colour colour;
    struct node *parent, *child[2];
};

static struct node nodes[KEYS], *root;

static int side(const struct node *node) { return node->parent->child[1] == node; }

static void rotate(struct node *node, int to) {
    struct node *up = node->child[!to], *parent = node->parent;
    if (!parent)
        root = up;
    else
        parent->child[side(node)] = up;
    up->parent = parent;
    node->child[!to] = up->child[to];
    if (node->child[!to])
        node->child[!to]->parent = node;
    up->child[to] = node;
    node->parent = up;
}

static void insert(struct node *node) {
    struct node *parent = NULL;
    int at = 0;
    for (struct node *next = root; next; next = next->child[at]) {
        parent = next;
        at = 0;
        if (node->key > next->key)
            at = 1;
    }
    node->parent = parent;
    node->colour = RED;
    if (!parent)
        root = node;
    else
        parent->child[at] = node;
    while (node->parent && node->parent->colour == RED) {
        parent = node->parent;
        struct node *grandparent = parent->parent;
        int to = side(parent);
        struct node *uncle = grandparent->child[!to];
        if (uncle && uncle->colour == RED) {
            parent->colour = BLACK;
#ifndef MISTAKE
            uncle->colour = BLACK;
#endif
            grandparent->colour = RED;
            node = grandparent;
            continue;
        }
        if (side(node) != to) {
            rotate(parent, to);
            node = parent;
            parent = node->parent;
        }
        parent->colour = BLACK;
        grandparent->colour = RED;
        rotate(grandparent, !to);
    }
    root->colour = BLACK;
}

/* The black nodes on every way down. */
static int check(const struct node *node, int from, int to) {
    if (!node)
        return 1;
    assert(from <= node->key && node->key <= to);
    assert(node->colour == BLACK || node->parent->colour == BLACK);
    int left = check(node->child[0], from, node->key), right = check(node->child[1], node->key, to);
    assert(left == right);
    return left + (node->colour == BLACK);
}

int main(void) {
    for (int i = 0; i < KEYS; i++) {
        klee_make_symbolic(&nodes[i].key, 1, "key");
        insert(&nodes[i]);
        check(root, 0, 255);
    }
    return 0;
}
