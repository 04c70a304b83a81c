// qsort and bsearch, and sorts written out.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct Item { int key; char name[8]; };
static int by_int(const void *a, const void *b) { int x = *(const int *)a, y = *(const int *)b; return (x > y) - (x < y); }
static int by_name(const void *a, const void *b) { return strcmp(((const struct Item *)a)->name, ((const struct Item *)b)->name); }
static int by_text(const void *a, const void *b) { return strcmp(*(char *const *)a, *(char *const *)b); }

static void insertion(int *v, int n) {
    for (int i = 1; i < n; i++) {
        int x = v[i], j = i;
        for (; j > 0 && v[j - 1] > x; j--)
            v[j] = v[j - 1];
        v[j] = x;
    }
}
static void heap(int *v, int n) {
    for (int end = n, start = n / 2; end > 1;) {
        if (start > 0) {
            start--;
        } else {
            end--;
            int t = v[0]; v[0] = v[end]; v[end] = t;
        }
        for (int root = start, child; (child = 2 * root + 1) < end; root = child) {
            if (child + 1 < end && v[child] < v[child + 1])
                child++;
            if (v[root] >= v[child])
                break;
            int t = v[root]; v[root] = v[child]; v[child] = t;
        }
    }
}
static void merge(int *v, int *scratch, int n) {
    if (n < 2)
        return;
    int half = n / 2;
    merge(v, scratch, half);
    merge(v + half, scratch, n - half);
    for (int i = 0, j = half, k = 0; k < n; k++)
        scratch[k] = j >= n || (i < half && v[i] <= v[j]) ? v[i++] : v[j++];
    memcpy(v, scratch, (size_t)n * sizeof *v);
}

int main(void) {
    enum { N = 50 };
    int base[N], v[N], w[N], scratch[N];
    unsigned seed = 1;
    for (int i = 0; i < N; i++)
        base[i] = (int)((seed = seed * 1103515245u + 12345u) >> 16) % 1000 - 500;
    memcpy(v, base, sizeof v);
    qsort(v, N, sizeof *v, by_int);
    for (int i = 0; i < N; i++)
        printf("%d ", v[i]);
    memcpy(w, base, sizeof w); insertion(w, N); printf("\n%d", memcmp(v, w, sizeof v));
    memcpy(w, base, sizeof w); heap(w, N); printf(" %d", memcmp(v, w, sizeof v));
    memcpy(w, base, sizeof w); merge(w, scratch, N); printf(" %d\n", memcmp(v, w, sizeof v));
    for (int i = -500; i < 500; i += 97) {
        int *hit = bsearch(&i, v, N, sizeof *v, by_int);
        printf("%d ", hit ? (int)(hit - v) : -1);
    }
    int *last = bsearch(&v[N - 1], v, N, sizeof *v, by_int);
    printf("%d\n", *last);
    struct Item items[] = {{1, "pear"}, {2, "apple"}, {3, "fig"}, {4, "plum"}, {5, "kiwi"}};
    qsort(items, 5, sizeof *items, by_name);
    for (int i = 0; i < 5; i++)
        printf("%d%s ", items[i].key, items[i].name);
    const char *words[] = {"the", "quick", "brown", "fox", "jumps"};
    qsort(words, 5, sizeof *words, by_text);
    for (int i = 0; i < 5; i++)
        printf("%s ", words[i]);
    printf("\n");
    return 0;
}
