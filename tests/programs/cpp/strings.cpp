// std::string and string_view: building, searching, replacing, numbers, comparison, long and short, wide.
#include <cstdio>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

static std::vector<std::string> split(std::string_view text, char by) {
    std::vector<std::string> out;
    for (std::size_t at = 0;;) { std::size_t end = text.find(by, at); out.emplace_back(text.substr(at, end - at)); if (end == text.npos) return out; at = end + 1; }
}
int main() {
    std::string s = "short"; s += " and now rather longer than any small buffer"; std::printf("%zu %s\n", s.size(), s.c_str());
    std::string t(5, 'x'), u(s, 6, 3), empty; t.insert(2, "__").append(3, '!').push_back('?'); std::printf("%s %s [%s] %d\n", t.c_str(), u.c_str(), empty.c_str(), empty.empty());
    s.replace(0, 5, "long"); s.erase(4, 4); std::printf("%s %zu %zu %zu\n", s.c_str(), s.find("than"), s.rfind('a'), s.find("nothing"));
    std::printf("%zu %zu %zu\n", s.find_first_of("xyzr"), s.find_last_not_of("ref"), s.find_first_not_of("long"));
    std::printf("%s %d %d %d\n", s.substr(5, 3).c_str(), std::string("abc") < "abd", s == s + "", s.compare(0, 4, "long"));
    std::printf("%s %s %s %s\n", std::to_string(-42).c_str(), std::to_string(18446744073709551615ull).c_str(), std::to_string(3.5).c_str(), std::to_string(true).c_str());
    std::printf("%d %ld %g %lu\n", std::stoi("123abc"), std::stol("-77"), std::stod("2.5e3"), std::stoul("ff", nullptr, 16));
    try { (void)std::stoi("none"); } catch (std::invalid_argument &e) { std::printf("%s ", e.what()); }
    try { (void)std::stoi("99999999999"); } catch (std::out_of_range &e) { std::printf("%s ", e.what()); }
    try { (void)s.at(1000); } catch (std::out_of_range &e) { std::printf("%s\n", e.what()); }
    for (const auto &word : split("a,bc,,def,", ',')) std::printf("[%s]", word.c_str());
    std::string_view view = "view of text"; view.remove_prefix(5); std::printf(" %.*s %d\n", int(view.size()), view.data(), view == "of text");
    std::string a = "one", b = "two"; a.swap(b); std::string moved = std::move(a); a = "again"; std::printf("%s %s %s\n", a.c_str(), b.c_str(), moved.c_str());
    std::string reversed(moved.rbegin(), moved.rend()), grown; for (int i = 0; i < 100; ++i) grown += char('a' + i % 26); std::printf("%s %zu %c %c\n", reversed.c_str(), grown.length(), grown.front(), grown.back());
    grown.resize(3); grown.shrink_to_fit(); grown.reserve(100); grown.clear(); grown.assign("as", 2); std::printf("%s %d\n", grown.c_str(), grown.capacity() >= 2);
    std::wstring wide = L"wide"; wide += L"r"; std::u16string sixteen = u"16"; std::printf("%zu %zu %d\n", wide.size(), sixteen.size(), wide.find(L'r') == 4);
    std::printf("%zu\n", std::hash<std::string>()("hashed") % 1000);
}
