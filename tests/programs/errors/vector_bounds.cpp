// An index behind the end of a vector.
#include <vector>

static int last(const std::vector<int> &values) {
    return values[values.size()];
}

int main() {
    std::vector<int> values{1, 2, 3};
    values.shrink_to_fit();
    return last(values);
}
