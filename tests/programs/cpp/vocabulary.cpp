// optional, variant, any, tuple, pair, function, bind, bitset, initializer lists, structured bindings.
#include <any>
#include <bitset>
#include <cstdio>
#include <functional>
#include <initializer_list>
#include <optional>
#include <string>
#include <tuple>
#include <utility>
#include <variant>
#include <vector>

static std::optional<int> parse(const std::string &s) { if (s.empty()) return std::nullopt; int v = 0; for (char c : s) { if (c < '0' || c > '9') return {}; v = v * 10 + (c - '0'); } return v; }
using Value = std::variant<int, double, std::string, std::vector<int>>;
template <class... T> struct Overload : T... { using T::operator()...; };
template <class... T> Overload(T...) -> Overload<T...>;
static int total(std::initializer_list<int> l) { int s = 0; for (int i : l) s += i; return s; }
struct Multiplier { int by; int operator()(int x) const { return x * by; } };
static int subtract(int a, int b) { return a - b; }

int main() {
    std::printf("%d %d %d\n", parse("123").value(), parse("12a").has_value(), parse("").value_or(-1));
    try { (void)parse("x").value(); } catch (std::bad_optional_access &e) { std::printf("%s\n", e.what()); }
    std::vector<Value> values{1, 2.5, std::string("text"), std::vector<int>{1, 2, 3}};
    for (const Value &v : values) std::visit(Overload{[](int i) { std::printf("int %d ", i); }, [](double d) { std::printf("double %g ", d); }, [](const std::string &s) { std::printf("string %s ", s.c_str()); }, [](const std::vector<int> &l) { std::printf("list %zu ", l.size()); }}, v);
    values[0] = std::string("now text"); std::printf("%zu %s %d\n", values[0].index(), std::get<std::string>(values[0]).c_str(), std::get_if<int>(&values[1]) == nullptr);
    try { (void)std::get<int>(values[2]); } catch (std::bad_variant_access &e) { std::printf("%s\n", e.what()); }
    std::any a = 5; a = std::string("any"); std::printf("%s ", std::any_cast<std::string &>(a).c_str()); try { (void)std::any_cast<int>(a); } catch (std::bad_any_cast &e) { std::printf("%s\n", e.what()); }
    auto t = std::make_tuple(1, 'c', std::string("three")); auto [x, y, z] = t; std::get<0>(t) = 10; std::printf("%d %c %s %d %zu\n", x, y, z.c_str(), std::get<0>(t), std::tuple_size<decltype(t)>::value);
    int p, q; std::tie(p, q) = std::make_pair(3, 4); std::swap(p, q); std::printf("%d %d %d\n", p, q, std::make_pair(1, 2) < std::make_pair(1, 3));
    std::function<int(int)> f = Multiplier{3}; std::printf("%d ", f(5)); int captured = 100; f = [captured, &p](int k) mutable { captured += k; return captured + p; }; f(1); std::printf("%d ", f(1)); f = nullptr; try { f(1); } catch (std::bad_function_call &e) { std::printf("%s\n", e.what()); }
    auto bound = std::bind(subtract, std::placeholders::_2, 10); std::function<int(const std::string &)> length = &std::string::length; std::printf("%d %d %d\n", bound(1, 50), length("four"), std::invoke(&std::pair<int, int>::second, std::make_pair(1, 2)));
    std::bitset<20> bits("1011"); bits.set(10).flip(0); bits <<= 2; std::printf("%s %zu %lu\n", bits.to_string().c_str(), bits.count(), bits.to_ulong());
    auto compose = [](auto g, auto h) { return [=](auto v) { return g(h(v)); }; }; auto counter = [n = 0]() mutable { return ++n; }; counter(); std::printf("%d %d %d\n", compose([](int v) { return v + 1; }, [](double v) { return int(v * 2); })(2.6), counter(), total({1, 2, 3, 4}));
    std::function<int(int)> fib = [&fib](int n) { return n < 2 ? n : fib(n - 1) + fib(n - 2); }; std::printf("%d\n", fib(15));
}
