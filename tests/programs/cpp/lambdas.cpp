// Lambdas: captures of all kinds, recursion, stored, returned, converted to pointers, generic, constexpr, immediately called.
#include <algorithm>
#include <cstdio>
#include <functional>
#include <memory>
#include <vector>

struct Button { std::vector<std::function<void(int)>> handlers; void click(int n) { for (auto &h : handlers) h(n); } };
struct Account { int balance = 100; auto withdraw() { return [this](int n) { balance -= n; return balance; }; } auto snapshot() { return [*this] { return balance; }; } };
static auto adder(int by) { return [by](int x) { return x + by; }; }
static int apply(int (*f)(int), int x) { return f(x); }
template <typename F> static void repeat(int n, F &&f) { for (int i = 0; i < n; ++i) f(i); }

int main() {
    int total = 0, factor = 3;
    Button button; button.handlers.push_back([&](int n) { total += n * factor; }); button.handlers.push_back([&total, factor](int n) { total -= n + factor; });
    factor = 10; button.click(1); button.click(2); std::printf("%d\n", total);
    Account account; auto w = account.withdraw(); auto s = account.snapshot(); w(30); w(20); std::printf("%d %d %d\n", w(0), account.balance, s());
    std::printf("%d %d\n", adder(5)(6), apply([](int x) { return x * x; }, 9));
    auto owned = [p = std::make_unique<int>(8)](int k) { return *p + k; }; auto moved = std::move(owned); std::printf("%d\n", moved(2));
    auto generic = [](auto a, auto b) { return a < b ? b : a; }; std::printf("%d %g %c\n", generic(1, 2), generic(2.5, 1.5), generic('a', 'z'));
    auto factorial = [](auto self, int n) -> long { return n ? n * self(self, n - 1) : 1; }; std::printf("%ld\n", factorial(factorial, 12));
    int calls = 0; repeat(5, [&calls, sum = 0](int i) mutable { sum += i; calls = sum; }); std::printf("%d\n", calls);
    std::vector<std::function<int()>> delayed; for (int i = 0; i < 4; ++i) delayed.push_back([i] { return i * i; }); for (auto &f : delayed) std::printf("%d ", f());
    constexpr auto cube = [](int x) { return x * x * x; }; static_assert(cube(3) == 27); int immediately = [&] { if (total > 0) return 1; return -1; }(); std::printf("%d %d\n", cube(4), immediately);
    std::vector<int> v{5, 1, 4}; std::sort(v.begin(), v.end(), [key = 3](int a, int b) { return a % key < b % key; }); for (int i : v) std::printf("%d ", i); auto variadic = [](auto... xs) { return (0 + ... + xs); }; std::printf("%d\n", variadic(1, 2, 3));
}
