// inputs: a=0..7 b=0..7 c=0..7
// paths: 16
// Templates over types and values, closures, references.
#include <klee/klee.h>

template <typename T> const T &larger(const T &a, const T &b) { return a < b ? b : a; }

template <int N> int digits(unsigned x) {
    int count = 0;
    while (x >= N) {
        x /= N;
        count++;
    }
    return count + 1;
}

struct Point {
    int x, y;
    bool operator<(const Point &other) const { return x != other.x ? x < other.x : y < other.y; }
};

template <typename F> int twice(F f, int x) { return f(f(x)); }

int main() {
    int a = klee_range(0, 8, "a"), b = klee_range(0, 8, "b"), c = klee_range(0, 8, "c");
    Point first = {a, b}, second = {b, c};
    const Point &last = larger(first, second);
    int moved = twice([&](int x) { return x + last.y; }, a);
    if (moved > 15) return 1;
    if (digits<2>(unsigned(c)) == digits<4>(unsigned(c))) return 2;
    return 3;
}
