// Linked lists and a hash table with chains.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct Node { int value; struct Node *next; };
static struct Node *push(struct Node *head, int value) {
    struct Node *node = malloc(sizeof *node);
    node->value = value;
    node->next = head;
    return node;
}
static struct Node *reverse(struct Node *head) {
    struct Node *out = NULL;
    while (head) {
        struct Node *next = head->next;
        head->next = out;
        out = head;
        head = next;
    }
    return out;
}
static void drop_if(struct Node **link, int divisor) {
    while (*link) {
        struct Node *node = *link;
        if (node->value % divisor == 0) {
            *link = node->next;
            free(node);
        } else {
            link = &node->next;
        }
    }
}
struct Entry { char *key; int count; struct Entry *next; };
static struct Entry *buckets[17];
static unsigned hash(const char *text) {
    unsigned h = 5381;
    while (*text)
        h = h * 33 ^ (unsigned char)*text++;
    return h;
}
static int count(const char *key) {
    struct Entry **slot = &buckets[hash(key) % 17];
    for (struct Entry *e = *slot; e; e = e->next)
        if (strcmp(e->key, key) == 0)
            return ++e->count;
    struct Entry *e = malloc(sizeof *e);
    *e = (struct Entry){strdup(key), 1, *slot};
    *slot = e;
    return 1;
}

int main(void) {
    struct Node *list = NULL;
    for (int i = 1; i <= 20; i++)
        list = push(list, i);
    list = reverse(list);
    drop_if(&list, 3);
    drop_if(&list, 2);
    for (struct Node *n = list; n; n = n->next)
        printf("%d ", n->value);
    drop_if(&list, 1);
    printf("%d\n", list == NULL);
    char text[] = "the cat and the dog and the bird saw the cat";
    for (char *word = strtok(text, " "); word; word = strtok(NULL, " "))
        printf("%s%d ", word, count(word));
    printf("\n");
    for (int i = 0; i < 17; i++) {
        while (buckets[i]) {
            struct Entry *e = buckets[i];
            printf("%d:%s=%d ", i, e->key, e->count);
            buckets[i] = e->next;
            free(e->key);
            free(e);
        }
    }
    printf("\n");
    return 0;
}
