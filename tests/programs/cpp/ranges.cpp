// Iterators of one's own, range-based loops, views by hand, a matrix class, operator overloading with templates of expressions.
#include <array>
#include <cmath>
#include <cstdio>
#include <iterator>
#include <numeric>
#include <vector>

class Range { long a, b, step; public: struct It { using iterator_category = std::forward_iterator_tag; using value_type = long; using difference_type = long; using pointer = long *; using reference = long; long v, step; long operator*() const { return v; } It &operator++() { v += step; return *this; } It operator++(int) { It o = *this; v += step; return o; } bool operator!=(const It &o) const { return v < o.v; } bool operator==(const It &o) const { return !(*this != o); } };
    Range(long a, long b, long s = 1) : a(a), b(b), step(s) {} It begin() const { return {a, step}; } It end() const { return {b, step}; } };
template <typename R, typename F> struct Mapped { const R &r; F f; struct It { decltype(std::declval<const R &>().begin()) i; const F *f; auto operator*() const { return (*f)(*i); } It &operator++() { ++i; return *this; } bool operator!=(const It &o) const { return i != o.i; } }; It begin() const { return {r.begin(), &f}; } It end() const { return {r.end(), &f}; } };
template <typename R, typename F> Mapped<R, F> map(const R &r, F f) { return {r, f}; }
template <typename E> struct Expr { const E &self() const { return static_cast<const E &>(*this); } };
struct Vec : Expr<Vec> { std::vector<double> d; Vec(std::initializer_list<double> l) : d(l) {} template <typename E> Vec(const Expr<E> &e) { for (std::size_t i = 0; i < e.self().size(); ++i) d.push_back(e.self()[i]); } double operator[](std::size_t i) const { return d[i]; } std::size_t size() const { return d.size(); } };
template <typename L, typename R> struct Sum : Expr<Sum<L, R>> { const L &l; const R &r; Sum(const L &l, const R &r) : l(l), r(r) {} double operator[](std::size_t i) const { return l[i] + r[i]; } std::size_t size() const { return l.size(); } };
template <typename L, typename R> Sum<L, R> operator+(const Expr<L> &l, const Expr<R> &r) { return {l.self(), r.self()}; }
template <std::size_t N> struct Square { std::array<std::array<double, N>, N> m{}; static Square identity() { Square s; for (std::size_t i = 0; i < N; ++i) s.m[i][i] = 1; return s; } friend Square operator*(const Square &a, const Square &b) { Square c; for (std::size_t i = 0; i < N; ++i) for (std::size_t j = 0; j < N; ++j) for (std::size_t k = 0; k < N; ++k) c.m[i][j] += a.m[i][k] * b.m[k][j]; return c; } };

int main() {
    for (long i : Range(0, 20, 6)) std::printf("%ld ", i);
    Range r(1, 6); for (double x : map(r, [](long n) { return std::sqrt(double(n)); })) std::printf("%.3f ", x);
    std::printf("%ld\n", std::accumulate(r.begin(), r.end(), 0L));
    Vec a{1, 2, 3}, b{10, 20, 30}, c{0.5, 0.5, 0.5}; Vec s = a + b + c; for (double d : s.d) std::printf("%g ", d); std::printf("\n");
    Square<2> fib; fib.m = {{{1, 1}, {1, 0}}}; auto p = Square<2>::identity(); for (int i = 0; i < 30; ++i) p = p * fib; std::printf("%.0f\n", p.m[0][1]);
    int raw[] = {4, 5, 6}; for (auto it = std::rbegin(raw); it != std::rend(raw); ++it) std::printf("%d ", *it); std::printf("%zu %ld\n", std::size(raw), long(std::distance(std::begin(raw), std::end(raw))));
    std::vector<int> v{1, 2, 3}; for (auto &x : v) x *= 2; for (auto it = std::make_move_iterator(v.begin()); it != std::make_move_iterator(v.end()); ++it) std::printf("%d ", *it); std::printf("\n");
}
