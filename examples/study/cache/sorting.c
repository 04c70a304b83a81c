// Ways of sorting: Sorting of table 4 of the partial-solution cache (Shuai, Chen, Ma, Liu and others, 2024), written
// anew from textbooks.
//
// SIZE numbers are symbolic, and so is how they are sorted: by insertion, by selection, by merging, by a heap, or
// quickly. Afterwards they are in order: the program checks it, and it follows from each path condition.
#include <assert.h>
#include <klee/klee.h>
#include <string.h>

#ifndef SIZE
#define SIZE 5
#endif

static void swap(int *a, int *b) {
    int t = *a;
    *a = *b;
    *b = t;
}

static void by_insertion(int *numbers, int count) {
    for (int i = 1; i < count; i++) {
        int number = numbers[i], at = i;
        for (; at > 0 && numbers[at - 1] > number; at--)
            numbers[at] = numbers[at - 1];
        numbers[at] = number;
    }
}

static void by_selection(int *numbers, int count) {
    for (int i = 0; i < count - 1; i++) {
        int least = i;
        for (int j = i + 1; j < count; j++)
            if (numbers[j] < numbers[least])
                least = j;
        swap(&numbers[i], &numbers[least]);
    }
}

static void by_merging(int *numbers, int count) {
    if (count < 2)
        return;
    int half = count / 2, merged[SIZE], left = 0, right = half;
    by_merging(numbers, half);
    by_merging(numbers + half, count - half);
    for (int i = 0; i < count; i++)
        if (right == count || (left < half && numbers[left] <= numbers[right]))
            merged[i] = numbers[left++];
        else
            merged[i] = numbers[right++];
    memcpy(numbers, merged, (size_t)count * sizeof *numbers);
}

static void sift(int *numbers, int at, int count) {
    for (int child; (child = 2 * at + 1) < count; at = child) {
        if (child + 1 < count && numbers[child] < numbers[child + 1])
            child++;
        if (numbers[child] <= numbers[at])
            return;
        swap(&numbers[child], &numbers[at]);
    }
}

static void by_heap(int *numbers, int count) {
    for (int i = count / 2 - 1; i >= 0; i--)
        sift(numbers, i, count);
    for (int i = count - 1; i > 0; i--) {
        swap(&numbers[0], &numbers[i]);
        sift(numbers, 0, i);
    }
}

static void quickly(int *numbers, int count) {
    if (count < 2)
        return;
    int pivot = numbers[count - 1], less = 0;
    for (int i = 0; i < count - 1; i++)
        if (numbers[i] < pivot)
            swap(&numbers[i], &numbers[less++]);
    swap(&numbers[less], &numbers[count - 1]);
    quickly(numbers, less);
    quickly(numbers + less + 1, count - less - 1);
}

int main(void) {
    int numbers[SIZE];
    unsigned way;
    klee_make_symbolic(numbers, sizeof numbers, "numbers");
    klee_make_symbolic(&way, sizeof way, "way");
    switch (way) {
    case 0:
        by_insertion(numbers, SIZE);
        break;
    case 1:
        by_selection(numbers, SIZE);
        break;
    case 2:
        by_merging(numbers, SIZE);
        break;
    case 3:
        by_heap(numbers, SIZE);
        break;
    default:
        quickly(numbers, SIZE);
    }
    for (int i = 1; i < SIZE; i++)
        assert(numbers[i - 1] <= numbers[i]);
    return 0;
}
