// Numbers as characters and back, memory from resources, and random numbers that are the same everywhere.
#include <charconv>
#include <cstring>
#include <iostream>
#include <limits>
#include <map>
#include <memory_resource>
#include <random>
#include <string>
#include <vector>

template <class T> void show(T value) {
    char text[400];
    const auto put = [&](std::to_chars_result result) {
        std::cout << (result.ec == std::errc() ? std::string(text, result.ptr) : "too long") << ' ';
    };
    put(std::to_chars(text, text + 400, value));
    put(std::to_chars(text, text + 400, value, std::chars_format::fixed));
    put(std::to_chars(text, text + 400, value, std::chars_format::scientific));
    put(std::to_chars(text, text + 400, value, std::chars_format::general));
    put(std::to_chars(text, text + 400, value, std::chars_format::hex));
    put(std::to_chars(text, text + 400, value, std::chars_format::fixed, 3));
    put(std::to_chars(text, text + 400, value, std::chars_format::general, 4));
    put(std::to_chars(text, text + 3, value));
    std::cout << '\n';
}

template <class T> void parse(const char *text, std::chars_format format = std::chars_format::general) {
    T value = -7;
    const auto result = std::from_chars(text, text + std::strlen(text), value, format);
    std::cout << text << ' ' << value << ' ' << (result.ptr - text) << ' ' << int(result.ec) << '\n';
}

int main() {
    std::ios_base::sync_with_stdio(false);
    for (double value : {0.0, -0.0, 1.0, 0.1, 1e5, 1e6, 123456.0, 1e22, 1e23, 1.5e-5, 1e-4, 5e-324, -2.5, 1.0 / 3}) {
        show(value);
        show(static_cast<float>(value));
    }
    show(std::numeric_limits<double>::infinity());
    for (const char *text : {"1.5", "-2", "1e5", "1e", ".5", ".", "-", "inf", "-INF", "nan(ab)c", "1e999", "12abc", "+1"}) {
        parse<double>(text);
        parse<float>(text, std::chars_format::fixed);
        parse<double>(text, std::chars_format::scientific);
    }
    parse<double>("-a.8p-1", std::chars_format::hex);
    char buffer[256];
    std::pmr::monotonic_buffer_resource growing(buffer, sizeof buffer);
    std::pmr::vector<std::pmr::string> strings(&growing);
    for (int i = 0; i < 20; ++i) strings.emplace_back("a string that is long enough " + std::to_string(i));
    std::pmr::unsynchronized_pool_resource pool;
    std::pmr::map<int, std::pmr::string> map(&pool);
    for (int i = 0; i < 10; ++i) map[i] = "value";
    map.erase(3);
    std::cout << strings.back() << ' ' << map.size() << '\n';
    try {
        std::pmr::vector<int> none(std::pmr::null_memory_resource());
        none.push_back(1);
    } catch (const std::bad_alloc &) {
        std::cout << "no memory\n";
    }
    std::mt19937 generator(42);
    std::uniform_int_distribution<int> dice(1, 6);
    for (int i = 0; i < 10; ++i) std::cout << dice(generator);
    std::cout << ' ' << std::normal_distribution<>()(generator) << '\n';
}
