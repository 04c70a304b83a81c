// inputs: n=0..3 x=0..7 y=0..7
// paths: 12
// A vector that grows, is searched, erased from, and asked for what it does not have. 1 + 2 + 4 + 5 by length.
#include <algorithm>
#include <klee/klee.h>
#include <stdexcept>
#include <vector>

int main() {
    int n = klee_range(0, 4, "n"), x = klee_range(0, 8, "x"), y = klee_range(0, 8, "y");
    std::vector<int> numbers;
    for (int i = 0; i < n; i++) numbers.push_back(x + 2 * i);
    try {
        auto found = std::find_if(numbers.begin(), numbers.end(), [y](int number) { return number == y; });
        if (found != numbers.end()) {
            numbers.erase(found);
            return numbers.empty() ? 1 : 2;
        }
        if (numbers.at(1) > y) return 3;
        return 4;
    } catch (const std::out_of_range &) {
        return 5;
    }
}
