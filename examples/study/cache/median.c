// The median by selection: Median of table 4 of the partial-solution cache (Shuai, Chen, Ma, Liu and others, 2024),
// written anew from textbooks (Hoare's Find).
//
// SIZE numbers are symbolic. Those around the median are partitioned until it is in its place. Then no more than half
// of the numbers are less, and no more than half are greater, which the program counts.
#include <assert.h>
#include <klee/klee.h>

#ifndef SIZE
#define SIZE 6
#endif

static void swap(int *a, int *b) {
    int t = *a;
    *a = *b;
    *b = t;
}

static int select(int *numbers, int place) {
    int low = 0, high = SIZE - 1;
    while (low < high) {
        int pivot = numbers[place], left = low, right = high;
        while (left <= right) {
            while (numbers[left] < pivot)
                left++;
            while (pivot < numbers[right])
                right--;
            if (left <= right)
                swap(&numbers[left++], &numbers[right--]);
        }
        if (right < place)
            low = left;
        if (place < left)
            high = right;
    }
    return numbers[place];
}

int main(void) {
    int numbers[SIZE], less = 0, greater = 0;
    klee_make_symbolic(numbers, sizeof numbers, "numbers");
    int median = select(numbers, SIZE / 2);
    for (int i = 0; i < SIZE; i++) {
        if (numbers[i] < median)
            less++;
        else if (numbers[i] > median)
            greater++;
    }
    assert(less <= SIZE / 2 && greater <= SIZE / 2);
    return SIZE - less - greater;
}
