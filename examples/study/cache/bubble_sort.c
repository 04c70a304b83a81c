// Bubble sort: BubbleSort of table 4 of the partial-solution cache (Shuai, Chen, Ma, Liu and others, 2024), written
// anew.
//
// SIZE numbers are symbolic. A pass without an exchange is the last. Afterwards the numbers are in order: the program
// checks it, and it follows from each path condition.
#include <assert.h>
#include <klee/klee.h>

#ifndef SIZE
#define SIZE 6
#endif

static int sort(int *numbers, int count) {
    int passes = 0;
    for (int sorted = 0; !sorted; passes++) {
        sorted = 1;
        for (int i = 1; i < count - passes; i++)
            if (numbers[i - 1] > numbers[i]) {
                int t = numbers[i - 1];
                numbers[i - 1] = numbers[i];
                numbers[i] = t;
                sorted = 0;
            }
    }
    return passes;
}

int main(void) {
    int numbers[SIZE];
    klee_make_symbolic(numbers, sizeof numbers, "numbers");
    int passes = sort(numbers, SIZE);
    for (int i = 1; i < SIZE; i++)
        assert(numbers[i - 1] <= numbers[i]);
    return passes;
}
