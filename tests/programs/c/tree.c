// A left-leaning red-black tree with deletion of everything at the end.
#include <stdio.h>
#include <stdlib.h>

typedef struct Node { int key; int red; struct Node *left, *right; } Node;
static int is_red(Node *n) { return n && n->red; }
static Node *rotate_left(Node *n) { Node *x = n->right; n->right = x->left; x->left = n; x->red = n->red; n->red = 1; return x; }
static Node *rotate_right(Node *n) { Node *x = n->left; n->left = x->right; x->right = n; x->red = n->red; n->red = 1; return x; }
static Node *insert(Node *n, int key) {
    if (!n) {
        n = malloc(sizeof *n);
        *n = (Node){key, 1, NULL, NULL};
        return n;
    }
    if (key < n->key) n->left = insert(n->left, key);
    else if (key > n->key) n->right = insert(n->right, key);
    if (is_red(n->right) && !is_red(n->left)) n = rotate_left(n);
    if (is_red(n->left) && is_red(n->left->left)) n = rotate_right(n);
    if (is_red(n->left) && is_red(n->right)) { n->red = 1; n->left->red = n->right->red = 0; }
    return n;
}
static int black_height(Node *n) {
    if (!n) return 1;
    int l = black_height(n->left), r = black_height(n->right);
    if (l != r || l < 0 || (n->red && is_red(n->left))) return -1;
    return l + !n->red;
}
static int depth(Node *n) { if (!n) return 0; int l = depth(n->left), r = depth(n->right); return 1 + (l > r ? l : r); }
static void walk(Node *n) { if (n) { walk(n->left); printf("%d ", n->key); walk(n->right); } }
static int release(Node *n) { if (!n) return 0; int c = release(n->left) + release(n->right); free(n); return c + 1; }

int main(void) {
    Node *root = NULL;
    unsigned seed = 7;
    for (int i = 0; i < 200; i++) {
        seed = seed * 1664525u + 1013904223u;
        root = insert(root, (int)(seed >> 20) % 300);
        root->red = 0;
        if (black_height(root) < 0) { printf("unbalanced at %d\n", i); return 1; }
    }
    walk(root);
    printf("\n%d %d\n", depth(root), black_height(root));
    printf("%d\n", release(root));
    return 0;
}
