// A binary search tree: BinTree of GreenTrie (Jia, Ghezzi and Ying, 2015), written anew from textbooks.
//
// BOUND + 1 symbolic keys are inserted. Then comes one operation more, which input chooses: insert, delete or find. For
// BOUND = 1, 2, 3 these are BinTree-1 to 3 of the paper. The links of the tree are checked after every operation: that
// asks nothing, as they depend on the path alone. With `-DORDERED`, so is the order of the keys, which asks.
// `--cflags=-DVERSION=n` makes the versions of table 4:
//
//   0            the program of table 1
//   1, 2, 3      additions, each to the one before: insert refuses keys below 0; so does delete, and find also those
//                above MOST; another operation, which finds the least key above a given one. Deletions are the same
//                backwards: from 3 to 2, 1 and 0
//   11, 12, 13   modifications of version 0: another comparison chooses the operation; delete fills the gap with the key
//                before instead of the one behind; insert takes equal keys, too
#include <assert.h>
#include <klee/klee.h>
#include <stddef.h>

#ifndef VERSION
#define VERSION 0
#endif
#ifndef BOUND
#define BOUND 2
#endif

enum { INSERTIONS = BOUND + 1, MOST = 1000 };

struct node {
    int key;
    struct node *parent, *child[2];
};

static struct node nodes[INSERTIONS + 1], *root;
static int used, size;

static void insert(int key) {
#if VERSION >= 1 && VERSION <= 3
    if (key < 0)
        return;
#endif
    struct node *parent = NULL;
    int side = 0;
    for (struct node *node = root; node; node = node->child[side]) {
        parent = node;
        if (key < node->key)
            side = 0;
        else if (key > node->key)
            side = 1;
        else
#if VERSION == 13
            side = 1;
#else
            return;
#endif
    }
    struct node *node = &nodes[used++];
    node->key = key;
    node->parent = parent;
    if (parent)
        parent->child[side] = node;
    else
        root = node;
    size++;
}

static struct node *find(int key) {
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

static struct node *lookup(int key) {
#if VERSION == 2 || VERSION == 3
    if (key < 0 || key > MOST)
        return NULL;
#endif
    return find(key);
}

static void delete(int key) {
#if VERSION == 2 || VERSION == 3
    if (key < 0)
        return;
#endif
    struct node *node = find(key);
    if (!node)
        return;
    if (node->child[0] && node->child[1]) {
        // Its neighbour in the order takes its place, and leaves one where it was.
#if VERSION == 12
        int to = 0;
#else
        int to = 1;
#endif
        struct node *next = node->child[to];
        while (next->child[!to])
            next = next->child[!to];
        node->key = next->key;
        node = next;
    }
    struct node *child = node->child[node->child[0] == NULL], *parent = node->parent;
    if (child)
        child->parent = parent;
    if (parent)
        parent->child[parent->child[1] == node] = child;
    else
        root = child;
    size--;
}

#if VERSION == 3
static struct node *above(int key) {
    struct node *best = NULL;
    for (struct node *node = root; node;) {
        if (key < node->key) {
            best = node;
            node = node->child[0];
        } else
            node = node->child[1];
    }
    return best;
}
#endif

// The number of nodes from here on down. Keys are above that of `least` and below that of `most`, where there are any.
static int check(const struct node *node, const struct node *least, const struct node *most) {
    if (!node)
        return 0;
    for (int side = 0; side < 2; side++)
        assert(!node->child[side] || node->child[side]->parent == node);
#ifdef ORDERED
    assert(!least || (VERSION == 13 ? least->key <= node->key : least->key < node->key));
    assert(!most || node->key < most->key);
#endif
    return 1 + check(node->child[0], least, node) + check(node->child[1], node, most);
}

static int symbolic(const char *name) {
    int value;
    klee_make_symbolic(&value, sizeof value, name);
    return value;
}

int main(void) {
    for (int i = 0; i < INSERTIONS; i++) {
        insert(symbolic("key"));
        assert(check(root, NULL, NULL) == size);
    }
    int operation = symbolic("operation"), key = symbolic("key"), found = 0;
#if VERSION == 11
    if (operation <= 0)
#else
    if (operation == 0)
#endif
        insert(key);
    else if (operation == 1)
        delete(key);
#if VERSION == 3
    else if (operation == 2)
        found = above(key) != NULL;
#endif
    else
        found = lookup(key) != NULL;
    assert(check(root, NULL, NULL) == size);
    return 2 * size + found;
}
