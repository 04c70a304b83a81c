// The algorithms of the library, with lambdas and iterators.
#include <algorithm>
#include <cstdio>
#include <functional>
#include <iterator>
#include <numeric>
#include <random>
#include <string>
#include <vector>

static void show(const std::vector<int> &v) { for (int i : v) std::printf("%d ", i); std::printf("\n"); }

int main() {
    std::vector<int> v(20);
    std::iota(v.begin(), v.end(), 1);
    std::transform(v.begin(), v.end(), v.begin(), [](int x) { return x * 37 % 23; });
    show(v);
    auto sorted = v; std::sort(sorted.begin(), sorted.end()); show(sorted);
    std::sort(sorted.begin(), sorted.end(), std::greater<int>()); show(sorted);
    auto stable = v; std::stable_sort(stable.begin(), stable.end(), [](int a, int b) { return a % 5 < b % 5; }); show(stable);
    auto part = v; auto middle = std::partition_point(sorted.begin(), sorted.end(), [](int x) { return x > 10; }); std::printf("%ld\n", long(middle - sorted.begin()));
    std::nth_element(part.begin(), part.begin() + 10, part.end()); std::printf("%d\n", part[10]);
    std::partial_sort(part.begin(), part.begin() + 3, part.end()); std::printf("%d %d %d\n", part[0], part[1], part[2]);
    std::printf("%d %d %ld\n", std::accumulate(v.begin(), v.end(), 0), std::inner_product(v.begin(), v.end(), v.rbegin(), 0), long(std::count_if(v.begin(), v.end(), [](int x) { return x & 1; })));
    auto mm = std::minmax_element(v.begin(), v.end()); std::printf("%d %d %ld\n", *mm.first, *mm.second, long(std::find(v.begin(), v.end(), 7) - v.begin()));
    std::reverse(v.begin(), v.end()); std::rotate(v.begin(), v.begin() + 5, v.end()); show(v);
    v.erase(std::remove_if(v.begin(), v.end(), [](int x) { return x % 3 == 0; }), v.end()); show(v);
    std::vector<int> u{1, 1, 2, 2, 2, 3, 1}; u.erase(std::unique(u.begin(), u.end()), u.end()); show(u);
    std::vector<int> a{1, 3, 5, 7}, b{2, 3, 6, 7}, out; std::set_union(a.begin(), a.end(), b.begin(), b.end(), std::back_inserter(out)); std::set_intersection(a.begin(), a.end(), b.begin(), b.end(), std::back_inserter(out)); std::merge(a.begin(), a.end(), b.begin(), b.end(), std::back_inserter(out)); show(out);
    std::printf("%d %d %d\n", std::binary_search(a.begin(), a.end(), 5), int(std::upper_bound(a.begin(), a.end(), 3) - a.begin()), int(std::includes(out.begin(), out.end(), a.begin(), a.end())));
    std::string p = "abc"; do std::printf("%s ", p.c_str()); while (std::next_permutation(p.begin(), p.end())); std::printf("\n");
    std::vector<int> heap{3, 1, 4, 1, 5, 9, 2, 6}; std::make_heap(heap.begin(), heap.end()); std::pop_heap(heap.begin(), heap.end()); heap.pop_back(); heap.push_back(7); std::push_heap(heap.begin(), heap.end()); std::sort_heap(heap.begin(), heap.end()); show(heap);
    std::vector<int> sums; std::partial_sum(a.begin(), a.end(), std::back_inserter(sums)); std::adjacent_difference(b.begin(), b.end(), std::back_inserter(sums)); show(sums);
    std::printf("%d %d %d\n", std::all_of(a.begin(), a.end(), [](int x) { return x > 0; }), std::any_of(a.begin(), a.end(), [](int x) { return x > 7; }), std::equal(a.begin(), a.end(), b.begin()));
    std::mt19937 random(42); unsigned h = 0; for (int i = 0; i < 700; ++i) h = h * 31 + unsigned(random()); std::printf("%u\n", h);
    std::string text = "Sphinx of black quartz"; std::transform(text.begin(), text.end(), text.begin(), [](char c) { return c >= 'a' && c <= 'z' ? char(c - 32) : c; }); std::printf("%s %d\n", text.c_str(), std::lexicographical_compare(a.begin(), a.end(), b.begin(), b.end()));
}
