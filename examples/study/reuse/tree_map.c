// A map as a red-black tree: TreeMap of GreenTrie (Jia, Ghezzi and Ying, 2015), written anew from textbooks.
//
// BOUND + 2 symbolic keys are put into the map. For BOUND = 1, 2, 3 these are TreeMap-1 to 3 of the paper. Behind them
// come OPERATIONS more, each of which input chooses: put, take away or get. The tree is checked after every operation:
// no red node below a red one, the same number of black nodes on every way down. That asks nothing, as colours and links
// depend on the path alone. With `-DORDERED`, so is the order of the keys, which asks.
#include <assert.h>
#include <klee/klee.h>
#include <stddef.h>

#ifndef BOUND
#define BOUND 2
#endif
#ifndef OPERATIONS
#define OPERATIONS 0
#endif

enum { PUTS = BOUND + 2 };

enum colour { BLACK, RED };

struct node {
    int key, value;
    enum colour colour;
    struct node *parent, *child[2];
};

static struct node nodes[PUTS + OPERATIONS], *root;
static int used;

static int side(const struct node *node) { return node->parent->child[1] == node; }

static int is_red(const struct node *node) { return node && node->colour == RED; }

// `other`, which may be none, comes to where `node` was.
static void replace(struct node *node, struct node *other) {
    if (node->parent)
        node->parent->child[side(node)] = other;
    else
        root = other;
    if (other)
        other->parent = node->parent;
}

static void rotate(struct node *node, int to) {
    struct node *up = node->child[!to];
    replace(node, up);
    node->child[!to] = up->child[to];
    if (up->child[to])
        up->child[to]->parent = node;
    up->child[to] = node;
    node->parent = up;
}

// `node` is red; so may be its parent.
static void after_put(struct node *node) {
    while (node->parent && node->parent->colour == RED) {
        struct node *parent = node->parent, *grandparent = parent->parent;
        int to = side(parent);
        struct node *uncle = grandparent->child[!to];
        if (is_red(uncle)) {
            parent->colour = uncle->colour = BLACK;
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

// One black node too few on the ways through the child of `parent` on side `at`.
static void after_remove(struct node *parent, int at) {
    while (parent) {
        struct node *sibling = parent->child[!at];
        if (sibling->colour == RED) {
            sibling->colour = BLACK;
            parent->colour = RED;
            rotate(parent, at);
            sibling = parent->child[!at];
        }
        if (!is_red(sibling->child[0]) && !is_red(sibling->child[1])) {
            sibling->colour = RED;
            if (parent->colour == RED) {
                parent->colour = BLACK;
                return;
            }
            at = parent->parent && side(parent);
            parent = parent->parent;
            continue;
        }
        if (!is_red(sibling->child[!at])) {
            sibling->child[at]->colour = BLACK;
            sibling->colour = RED;
            rotate(sibling, !at);
            sibling = parent->child[!at];
        }
        sibling->colour = parent->colour;
        parent->colour = sibling->child[!at]->colour = BLACK;
        rotate(parent, at);
        return;
    }
}

static void put(int key, int value) {
    struct node *parent = NULL;
    int at = 0;
    for (struct node *node = root; node; node = node->child[at]) {
        parent = node;
        if (key < node->key)
            at = 0;
        else if (key > node->key)
            at = 1;
        else {
            node->value = value;
            return;
        }
    }
    struct node *node = &nodes[used++];
    *node = (struct node){.key = key, .value = value, .colour = RED, .parent = parent};
    if (parent)
        parent->child[at] = node;
    else
        root = node;
    after_put(node);
}

static struct node *get(int key) {
    struct node *node = root;
    while (node) {
        if (key < node->key)
            node = node->child[0];
        else if (key > node->key)
            node = node->child[1];
        else
            break;
    }
    return node;
}

static void take(int key) {
    struct node *node = get(key);
    if (!node)
        return;
    if (node->child[0] && node->child[1]) {
        struct node *next = node->child[1];
        while (next->child[0])
            next = next->child[0];
        node->key = next->key;
        node->value = next->value;
        node = next;
    }
    struct node *child = node->child[node->child[0] == NULL], *parent = node->parent;
    int at = parent && side(node);
    replace(node, child);
    if (node->colour == RED)
        return;
    if (is_red(child))
        child->colour = BLACK;
    else
        after_remove(parent, at);
}

// The black nodes on every way down.
static int check(const struct node *node, const struct node *least, const struct node *most) {
    if (!node)
        return 0;
    assert(node->colour == BLACK || (node->parent && node->parent->colour == BLACK));
    for (int i = 0; i < 2; i++)
        assert(!node->child[i] || node->child[i]->parent == node);
#ifdef ORDERED
    assert(!least || least->key < node->key);
    assert(!most || node->key < most->key);
#endif
    int left = check(node->child[0], least, node), right = check(node->child[1], node, most);
    assert(left == right);
    return left + (node->colour == BLACK);
}

static int symbolic(const char *name) {
    int value;
    klee_make_symbolic(&value, sizeof value, name);
    return value;
}

int main(void) {
    int result = 0;
    for (int i = 0; i < PUTS; i++) {
        put(symbolic("key"), i);
        check(root, NULL, NULL);
    }
    for (int i = 0; i < OPERATIONS; i++) {
        int operation = symbolic("operation"), key = symbolic("key");
        if (operation == 0)
            put(key, PUTS + i);
        else if (operation == 1)
            take(key);
        else {
            const struct node *found = get(key);
            result = found ? found->value : -1;
        }
        check(root, NULL, NULL);
    }
    return result;
}
