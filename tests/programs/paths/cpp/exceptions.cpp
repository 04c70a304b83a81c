// inputs: a=0..15 b=0..15
// paths: 8
// Exceptions through frames with destructors, chosen by type, thrown again, and one that nobody catches.
#include <klee/klee.h>

struct Error {
    int code;
    virtual ~Error() {}
};
struct Late : Error {
    explicit Late(int by) { code = by; }
};

static int alive = 0;
struct Guard {
    Guard() { alive++; }
    ~Guard() { alive--; }
};

static int work(int a, int b) {
    Guard guard;
    if (a > b + 10) throw Late(a - b);
    if (a == 3) throw b;
    if (b == 15 && a == 15) throw "unexpected";
    return a;
}

static int middle(int a, int b) {
    Guard guard;
    try {
        return work(a, b);
    } catch (int value) {
        if (value == 7) return 70;
        throw;
    }
}

int main() {
    int a = klee_range(0, 16, "a"), b = klee_range(0, 16, "b");
    try {
        int result = middle(a, b);
        if (alive != 0) return 9; // never
        if (result == 70) return 1;
        return 2;
    } catch (const Error &error) {
        if (alive != 0) return 9; // never
        if (error.code > 13) return 3;
        return 4;
    } catch (int value) {
        if (value < 4) return 5;
        return 6;
    }
}
