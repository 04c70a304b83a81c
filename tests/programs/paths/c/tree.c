// inputs: k[4]=0..3
// paths: 75
// Insertion into a search tree without doubles: one path a weak order of four keys.
#include <klee/klee.h>
#include <stdlib.h>

struct tree {
    int key;
    struct tree *left, *right;
};

static struct tree *insert(struct tree *tree, int key) {
    if (!tree) {
        tree = calloc(1, sizeof *tree);
        tree->key = key;
    } else if (key < tree->key) {
        tree->left = insert(tree->left, key);
    } else if (key > tree->key) {
        tree->right = insert(tree->right, key);
    }
    return tree;
}

static int depth(const struct tree *tree) {
    if (!tree) return 0;
    int left = depth(tree->left), right = depth(tree->right);
    return 1 + (left > right ? left : right);
}

int main(void) {
    unsigned char k[4];
    klee_make_symbolic(k, 4, "k");
    for (int i = 0; i < 4; i++) klee_assume(k[i] < 4);
    struct tree *tree = NULL;
    for (int i = 0; i < 4; i++) tree = insert(tree, k[i]);
    return depth(tree);
}
