// Quicksort with insertion sort for short runs.
#include <stdint.h>
#include <stdio.h>

#define N 20000
static int32_t values[N];

static void insertion(int32_t *a, int n) {
    for (int i = 1; i < n; i++) {
        int32_t v = a[i];
        int j = i - 1;
        while (j >= 0 && a[j] > v) {
            a[j + 1] = a[j];
            j--;
        }
        a[j + 1] = v;
    }
}

static void quick(int32_t *a, int n) {
    while (n > 16) {
        int32_t pivot = a[n / 2];
        int i = 0, j = n - 1;
        while (i <= j) {
            while (a[i] < pivot) i++;
            while (a[j] > pivot) j--;
            if (i <= j) {
                int32_t t = a[i];
                a[i] = a[j];
                a[j] = t;
                i++;
                j--;
            }
        }
        quick(a, j + 1);
        a += i;
        n -= i;
    }
    insertion(a, n);
}

int main(void) {
    uint32_t sum = 0;
    for (int round = 0; round < ROUNDS; round++) {
        uint32_t seed = round + 1;
        for (int i = 0; i < N; i++) {
            seed = seed * 1103515245u + 12345u;
            values[i] = (int32_t)(seed >> 8);
        }
        quick(values, N);
        for (int i = 1; i < N; i++)
            if (values[i - 1] > values[i]) return 1;
        sum = sum * 31 + (uint32_t)values[N / 3];
    }
    printf("%u\n", sum);
    return 0;
}
