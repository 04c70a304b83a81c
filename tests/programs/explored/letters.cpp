// statuses: 0 1 2 3
// What a locale says of characters, and numbers in it.
#include <klee/klee.h>
#include <locale>
#include <sstream>

int main() {
    char c;
    klee_make_symbolic(&c, 1, "c");
    klee_assume((c == 'q') | (c == 'Q') | (c == '4') | (c == ' ') | (c == '\xe9'));
    const std::locale classic = std::locale::classic();
    if (std::isalpha(c, classic)) {
        if (std::toupper(c, classic) == c) return 1;
        return 2;
    }
    if (!std::isdigit(c, classic)) return 0;
    std::ostringstream out;
    out.imbue(std::locale(classic, std::locale("C"), std::locale::numeric));
    out << (c - '0') * 1111;
    if (out.str() == "4444") return 3;
    return 9;
}
