// statuses: 0 1 2 3
// What a locale says of characters, and a locale with a facet of its own.
#include <klee/klee.h>
#include <locale>
#include <sstream>

struct Dots : std::numpunct<char> {
    char do_thousands_sep() const override { return '.'; }
    std::string do_grouping() const override { return "\1"; }
};

int main() {
    char c;
    klee_make_symbolic(&c, 1, "c");
    klee_assume((c == 'q') | (c == 'Q') | (c == '4') | (c == ' ') | (c == '\xe9'));
    const std::locale classic = std::locale::classic();
    if (std::isalpha(c, classic)) return std::toupper(c, classic) == c ? 1 : 2;
    if (!std::isdigit(c, classic)) return 0;
    std::ostringstream out;
    out.imbue(std::locale(classic, new Dots));
    out << (c - '0') * 111;
    return out.str() == "4.4.4" ? 3 : 9;
}
