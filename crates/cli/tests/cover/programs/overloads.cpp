#include <klee/klee.h>
#include <stdexcept>
#include <vector>

template <class T> struct Stack {
    std::vector<T> items;
    void push(T item) { items.push_back(item); }
    T pop() {
        if (items.empty())
            throw std::out_of_range("empty");
        T last = items.back();
        items.pop_back();
        return last;
    }
};

static int twice(int x, char) { return 2 * x; }
static int twice(int x, int) { return x + x; }

int main() {
    unsigned char n;
    klee_make_symbolic(&n, 1, "n");
    Stack<int> ints;
    Stack<char> letters;
    letters.push('a');
    if (n > 128)
        ints.push(n);
    try {
        ints.pop();
    } catch (const std::out_of_range &) {
        return twice(1, 'a');
    }
    return n == 200 ? twice(1, 1) : letters.pop();
}
