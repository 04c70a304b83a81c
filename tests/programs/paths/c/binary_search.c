// inputs: key=0..63
// paths: 13
// Among seven numbers: each of them, and each of the eight gaps but two, which are empty.
#include <klee/klee.h>

static const int numbers[7] = {3, 9, 10, 22, 40, 41, 57};

static int find(int key) {
    int low = 0, high = 7;
    while (low < high) {
        int middle = (low + high) / 2;
        if (numbers[middle] == key) return middle;
        if (numbers[middle] < key)
            low = middle + 1;
        else
            high = middle;
    }
    return -1;
}

int main(void) {
    int key = klee_range(0, 64, "key");
    return find(key) < 0 ? 1 : 0;
}
