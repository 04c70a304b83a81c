// Reads numbers from standard input with the C library and works on them in C++.
#include <algorithm>
#include <cstdio>
#include <map>
#include <string>
#include <vector>

int main(int argc, char **argv) {
    std::map<std::string, std::vector<int>> groups;
    char name[32]; int value;
    while (std::scanf("%31s %d", name, &value) == 2) groups[name].push_back(value);
    for (auto &[key, values] : groups) {
        std::sort(values.begin(), values.end());
        long sum = 0; for (int v : values) sum += v;
        std::printf("%s: %zu values, sum %ld, median %d\n", key.c_str(), values.size(), sum, values[values.size() / 2]);
    }
    for (int i = 1; i < argc; ++i) std::printf("%s has %zu\n", argv[i], groups.count(argv[i]) ? groups[argv[i]].size() : 0);
    return groups.size() == 3 ? 0 : 1;
}
