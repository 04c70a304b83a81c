// inputs: op=0..3 a=0..15 b=0..15
// paths: 7
// Operators, construction and destruction in order, a stack of own making that throws.
#include <klee/klee.h>

class Stack {
    int numbers[2];
    int count = 0;

  public:
    struct Empty {};
    struct Full {};
    Stack &operator<<(int number) {
        if (count == 2) throw Full();
        numbers[count++] = number;
        return *this;
    }
    int operator*() {
        if (count == 0) throw Empty();
        return numbers[--count];
    }
    explicit operator bool() const { return count != 0; }
};

int main() {
    int op = klee_range(0, 4, "op"), a = klee_range(0, 16, "a"), b = klee_range(0, 16, "b");
    Stack stack;
    try {
        stack << a << b;
        if (op == 3 && a == 7) stack << 1;
        int right = *stack, left = *stack;
        switch (op) {
        case 0: stack << left + right; break;
        case 1: stack << left - right; break;
        case 2: stack << left * right; break;
        }
        int result = *stack;
        if (stack) return 9; // never
        if (result < 0) return 1;
        if (result > 100) return 2;
        return 3;
    } catch (Stack::Empty) {
        return 4;
    } catch (Stack::Full) {
        return 5;
    }
}
