// An index whose number is itself: MagicIndex of table 4 of the partial-solution cache (Shuai, Chen, Ma, Liu and
// others, 2024), written anew from the well-known exercise.
//
// SIZE symbolic numbers must be in order. If no two are equal, a binary search finds an index i with numbers[i] == i;
// otherwise a search that skips what no such index can be among, whose places depend on input. Both are held against
// looking at all of them.
#include <assert.h>
#include <klee/klee.h>

#ifndef SIZE
#define SIZE 6
#endif

enum { NONE = -1, NOT_IN_ORDER = -2 };

static int all(const int *numbers) {
    for (int i = 0; i < SIZE; i++)
        if (numbers[i] == i)
            return i;
    return NONE;
}

static int distinct(const int *numbers) {
    int low = 0, high = SIZE - 1;
    while (low <= high) {
        int middle = (low + high) / 2;
        if (numbers[middle] == middle)
            return middle;
        if (numbers[middle] > middle)
            high = middle - 1;
        else
            low = middle + 1;
    }
    return NONE;
}

static int any(const int *numbers, int low, int high) {
    if (low > high)
        return NONE;
    int middle = (low + high) / 2, number = numbers[middle];
    if (number == middle)
        return middle;
    // To the left, nothing is greater than this number; to the right, nothing less.
    int left = any(numbers, low, number < middle - 1 ? number : middle - 1);
    if (left != NONE)
        return left;
    return any(numbers, number > middle + 1 ? number : middle + 1, high);
}

int main(void) {
    int numbers[SIZE], repeated = 0;
    klee_make_symbolic(numbers, sizeof numbers, "numbers");
    for (int i = 1; i < SIZE; i++) {
        if (numbers[i - 1] > numbers[i])
            return NOT_IN_ORDER;
        if (numbers[i - 1] == numbers[i])
            repeated = 1;
    }
    int found = repeated ? any(numbers, 0, SIZE - 1) : distinct(numbers);
    assert((found == NONE) == (all(numbers) == NONE));
    return found;
}
