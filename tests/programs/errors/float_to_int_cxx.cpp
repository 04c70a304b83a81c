// An index that is calculated.
#include <array>

static int index(long double value) {
    return static_cast<int>(value * 10);
}

int main() {
    std::array<int, 10> bins{};
    return bins[static_cast<unsigned>(index(-4e8L)) % 10];
}
