// vector, list, deque, array, map, set and their unordered relatives.
#include <array>
#include <cstdio>
#include <deque>
#include <forward_list>
#include <list>
#include <map>
#include <queue>
#include <set>
#include <stack>
#include <stdexcept>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <vector>

template <typename C> void show(const C &c) { for (const auto &e : c) std::printf("%d ", int(e)); std::printf("\n"); }

int main() {
    std::vector<int> v{5, 3, 1};
    v.push_back(9); v.insert(v.begin() + 1, {7, 8}); v.erase(v.begin()); v.emplace_back(4); v.resize(8, -1); show(v);
    try { v.at(100); } catch (std::out_of_range &e) { std::printf("%s\n", e.what()); }
    std::vector<bool> bits(70); for (int i = 0; i < 70; i += 3) bits[i] = true; int n = 0; for (bool b : bits) n += b; bits.flip(); std::printf("%d %d\n", n, int(bits[1]));
    std::vector<std::vector<std::string>> nested(3, std::vector<std::string>(2, "x")); nested[1][0] += "yz"; nested.push_back(nested[1]); std::printf("%zu %s\n", nested.size(), nested[3][0].c_str());
    std::deque<int> d; for (int i = 0; i < 200; ++i) { d.push_back(i); d.push_front(-i); } d.pop_back(); d.erase(d.begin() + 100, d.begin() + 300); std::printf("%zu %d %d %d\n", d.size(), d.front(), d[120], d.back());
    std::list<int> a{4, 2, 8}, b{1, 9, 3}; a.sort(); b.sort(); a.merge(b); a.reverse(); a.remove_if([](int x) { return x % 4 == 0; }); a.splice(a.begin(), a, --a.end()); show(a);
    std::list<int> e1, e2{1, 2}; e1.swap(e2); a.splice(a.end(), e1, e1.begin()); show(a); std::printf("%zu %zu\n", e1.size(), e2.size());
    std::forward_list<int> f{1, 2, 3}; f.push_front(0); f.insert_after(f.begin(), 10); f.reverse(); show(f);
    std::array<int, 5> fixed{{5, 4, 3, 2, 1}}; fixed.fill(6); fixed[2] = 0; show(fixed);
    std::map<std::string, int> ages; ages["bob"] = 30; ages["alice"] = 25; ages["carol"]++; ages.insert({"bob", 99}); ages.erase("nobody");
    for (const auto &p : ages) std::printf("%s=%d ", p.first.c_str(), p.second);
    std::printf("%zu %d %s\n", ages.count("dave"), ages.at("alice"), ages.lower_bound("b")->first.c_str());
    std::set<int> s; unsigned x = 1; for (int i = 0; i < 300; ++i) { x = x * 1103515245u + 12345u; int k = int(x >> 16) % 100; if (x & 1024) s.insert(k); else s.erase(k); } show(s);
    std::multimap<int, char> mm{{1, 'a'}, {2, 'b'}, {1, 'c'}}; auto range = mm.equal_range(1); for (auto it = range.first; it != range.second; ++it) std::printf("%c ", it->second);
    std::multiset<int> ms{3, 1, 3, 2}; ms.erase(ms.find(3)); for (auto it = ms.rbegin(); it != ms.rend(); ++it) std::printf("%d ", *it); std::printf("\n");
    std::unordered_map<std::string, int> words; for (const char *w : {"one", "two", "three", "two", "one", "two"}) ++words[w]; int none = words["none"]; std::printf("%d %d %d %zu\n", words["one"], words["two"], none, words.size());
    std::unordered_map<int, int> squares; for (int i = 0; i < 500; ++i) squares[i * 37 % 501] = i; long total = 0; for (auto &p : squares) total += p.first ^ p.second; squares.erase(37); std::printf("%ld %zu %d\n", total, squares.size(), squares.find(37) == squares.end());
    for (auto &p : squares) { std::printf("%d ", p.first); if (p.first % 7 == 3) break; } std::printf("\n");
    std::unordered_set<long> us{1, 2, 3, 2}; us.reserve(100); std::printf("%zu %zu\n", us.size(), us.count(2));
    std::priority_queue<int> pq; for (int i : {3, 1, 4, 1, 5}) pq.push(i); while (!pq.empty()) { std::printf("%d ", pq.top()); pq.pop(); }
    std::stack<int> st; std::queue<int> q; for (int i = 0; i < 3; ++i) { st.push(i); q.push(i); } std::printf("%d %d\n", st.top(), q.front());
}
