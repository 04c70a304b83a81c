// A binomial heap: BinomialHeap of GreenTrie (Jia, Ghezzi and Ying, 2015), written anew from textbooks.
//
// The heap begins with INSERTIONS symbolic keys. Then come BOUND + 1 operations, each of which input chooses: insert a
// key, extract the least one, decrease the key that came first of those that are left, or delete it. For BOUND = 1, 2, 3
// these are BinomialHeap-1 to 3 of the paper. The shape of the trees is checked after every operation: that asks
// nothing, as it depends on the path alone. With `-DORDERED`, so is the order of the keys, which asks.
#include <assert.h>
#include <klee/klee.h>
#include <stddef.h>

#ifndef BOUND
#define BOUND 2
#endif
#ifndef INSERTIONS
#define INSERTIONS 3
#endif

enum { OPERATIONS = BOUND + 1, NODES = INSERTIONS + OPERATIONS, DEGREES = 5 };

// A tree of degree d has children of degrees d - 1 to 0, in this order.
struct node {
    int key, degree, present;
    struct node *parent, *child, *sibling;
};

static struct node nodes[NODES];
static struct node *roots[DEGREES];  // by degree: at most one tree of each
static int used, size;

// One tree of two of the same degree.
static struct node *joined(struct node *a, struct node *b) {
    if (b->key < a->key) {
        struct node *t = a;
        a = b;
        b = t;
    }
    b->parent = a;
    b->sibling = a->child;
    a->child = b;
    a->degree++;
    return a;
}

// Like adding a bit to a binary number: as long as there is a tree of that degree, carry.
static void add(struct node *tree) {
    while (roots[tree->degree]) {
        struct node *other = roots[tree->degree];
        roots[tree->degree] = NULL;
        tree = joined(tree, other);
    }
    roots[tree->degree] = tree;
}

static void insert(int key) {
    struct node *node = &nodes[used++];
    node->key = key;
    node->present = 1;
    add(node);
    size++;
}

static struct node *least(void) {
    struct node *least = NULL;
    for (int i = 0; i < DEGREES; i++)
        if (roots[i] && (!least || roots[i]->key < least->key))
            least = roots[i];
    return least;
}

// What is below the root becomes trees of the heap.
static void cut(struct node *tree) {
    roots[tree->degree] = NULL;
    for (struct node *child = tree->child, *next; child; child = next) {
        next = child->sibling;
        child->parent = child->sibling = NULL;
        add(child);
    }
    tree->present = 0;
    size--;
}

static void swap_with_parent(struct node *node) {
    int key = node->key;
    node->key = node->parent->key;
    node->parent->key = key;
}

static void decrease(struct node *node, int key) {
    if (key >= node->key)
        return;
    node->key = key;
    for (; node->parent && node->key < node->parent->key; node = node->parent)
        swap_with_parent(node);
}

static void delete(struct node *node) {
    for (; node->parent; node = node->parent)
        swap_with_parent(node);
    cut(node);
}

static struct node *first(void) {
    for (int i = 0; i < used; i++)
        if (nodes[i].present)
            return &nodes[i];
    return NULL;
}

// The number of nodes of a tree.
static int check(const struct node *node) {
    int count = 1, degree = node->degree;
    for (const struct node *child = node->child; child; child = child->sibling) {
        degree--;
        assert(child->parent == node && child->present && child->degree == degree);
#ifdef ORDERED
        assert(node->key <= child->key);
#endif
        count += check(child);
    }
    assert(degree == 0 && count == 1 << node->degree);
    return count;
}

static void check_all(void) {
    int count = 0;
    for (int i = 0; i < DEGREES; i++)
        if (roots[i]) {
            assert(roots[i]->degree == i && !roots[i]->parent && !roots[i]->sibling);
            count += check(roots[i]);
        }
    assert(count == size);
}

static int symbolic(const char *name) {
    int value;
    klee_make_symbolic(&value, sizeof value, name);
    return value;
}

int main(void) {
    for (int i = 0; i < INSERTIONS; i++)
        insert(symbolic("key"));
    check_all();
    for (int i = 0; i < OPERATIONS; i++) {
        int operation = symbolic("operation"), key = symbolic("key");
        if (operation == 0 || size == 0)
            insert(key);
        else if (operation == 1)
            cut(least());
        else if (operation == 2)
            decrease(first(), key);
        else
            delete(first());
        check_all();
    }
    return size;
}
