// A reference into a vector that has grown since.
#include <vector>

int main() {
    std::vector<int> values{1, 2, 3};
    int &first = values[0];
    for (int i = 0; i < 10; ++i)
        values.push_back(i);
    first = 5;
    return values[0];
}
