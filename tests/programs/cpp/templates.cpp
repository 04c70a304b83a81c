// Templates: functions, classes, specialisation, variadic, non-type arguments, SFINAE, CRTP, recursion, constexpr.
#include <cstddef>
#include <cstdio>
#include <initializer_list>
#include <type_traits>

template <typename T> T largest(const T *v, std::size_t n) { T m = v[0]; for (std::size_t i = 1; i < n; ++i) if (m < v[i]) m = v[i]; return m; }
template <typename T, std::size_t N> struct Stack {
    T items[N]; std::size_t used = 0;
    bool push(T t) { if (used == N) return false; items[used++] = t; return true; }
    T pop() { return items[--used]; }
};
template <typename T> struct Name { static const char *get() { return "something"; } };
template <> struct Name<int> { static const char *get() { return "int"; } };
template <typename T> struct Name<T *> { static const char *get() { return "pointer"; } };
template <typename T, std::size_t N> struct Name<T[N]> { static const char *get() { return "array"; } };
template <unsigned N> struct Factorial { static constexpr unsigned long value = N * Factorial<N - 1>::value; };
template <> struct Factorial<0> { static constexpr unsigned long value = 1; };
inline long sum() { return 0; }
template <typename First, typename... Rest> long sum(First first, Rest... rest) { return long(first) + sum(rest...); }
template <typename... T> constexpr std::size_t count(T...) { return sizeof...(T); }
template <typename T> typename std::enable_if<std::is_integral<T>::value, const char *>::type kind(T) { return "integral"; }
template <typename T> typename std::enable_if<std::is_floating_point<T>::value, const char *>::type kind(T) { return "floating"; }
template <typename Derived> struct Comparable { bool operator>(const Derived &o) const { return o < static_cast<const Derived &>(*this); } };
struct Height : Comparable<Height> { int h; explicit Height(int h) : h(h) {} bool operator<(const Height &o) const { return h < o.h; } };
template <template <typename, std::size_t> class Container> int fill() { Container<int, 3> c; int n = 0; while (c.push(n)) ++n; return n * 10 + c.pop(); }
constexpr int fibonacci(int n) { return n < 2 ? n : fibonacci(n - 1) + fibonacci(n - 2); }
template <typename F, typename... A> auto call(F f, A... a) -> decltype(f(a...)) { return f(a...); }

int main() {
    int v[] = {3, 9, 4}; double d[] = {1.5, -2, 0.5};
    std::printf("%d %g\n", largest(v, 3), largest(d, 3));
    Stack<char, 4> s; for (char c : {'a', 'b', 'c', 'd', 'e'}) std::printf("%d", s.push(c));
    std::printf(" %c%c\n", s.pop(), 'z');
    std::printf("%s %s %s %s\n", Name<int>::get(), Name<char *>::get(), Name<int[3]>::get(), Name<bool>::get());
    static_assert(Factorial<5>::value == 120, "");
    std::printf("%lu %ld %zu\n", Factorial<15>::value, sum(1, 2u, 3L, 4.9, 'a'), count(1, "x", 2.0));
    std::printf("%s %s %d %d\n", kind(1L), kind(1.0f), Height(3) > Height(2), fill<Stack>());
    constexpr int f = fibonacci(20);
    std::printf("%d %d\n", f, call([](int a, int b) { return a * b; }, 6, 7));
}
