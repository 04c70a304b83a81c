// A hash map with chains: insert, look up, remove.
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

struct node {
    struct node *next;
    uint64_t key, value;
};

#define BUCKETS 4096
static struct node *buckets[BUCKETS];

static uint64_t hash(uint64_t key) {
    key ^= key >> 33;
    key *= 0xff51afd7ed558ccdull;
    key ^= key >> 33;
    return key;
}

static uint64_t *find(uint64_t key) {
    for (struct node *n = buckets[hash(key) % BUCKETS]; n; n = n->next)
        if (n->key == key) return &n->value;
    return 0;
}

static void insert(uint64_t key, uint64_t value) {
    uint64_t *found = find(key);
    if (found) {
        *found += value;
        return;
    }
    struct node *n = malloc(sizeof *n);
    struct node **bucket = &buckets[hash(key) % BUCKETS];
    n->key = key;
    n->value = value;
    n->next = *bucket;
    *bucket = n;
}

static int erase(uint64_t key) {
    for (struct node **p = &buckets[hash(key) % BUCKETS]; *p; p = &(*p)->next)
        if ((*p)->key == key) {
            struct node *gone = *p;
            *p = gone->next;
            free(gone);
            return 1;
        }
    return 0;
}

int main(void) {
    uint64_t seed = 42, sum = 0;
    for (int i = 0; i < ROUNDS; i++) {
        seed = seed * 6364136223846793005ull + 1442695040888963407ull;
        uint64_t key = (seed >> 40) % 10000;
        switch ((seed >> 30) % 4) {
        case 0: case 1: insert(key, i); break;
        case 2: { uint64_t *v = find(key); if (v) sum += *v; break; }
        default: sum += erase(key);
        }
    }
    printf("%llu\n", (unsigned long long)sum);
    return 0;
}
