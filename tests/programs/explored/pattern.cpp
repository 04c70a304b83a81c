// statuses: 0 1 2
// A regular expression on text that depends on input.
#include <klee/klee.h>
#include <regex>
#include <string>

int main() {
    char text[3];
    klee_make_symbolic(text, 3, "text");
    for (char &c : text) klee_assume((c == 'a') | (c == '1') | (c == '-'));
    const std::regex expression("([a-z]+)-?([0-9]*)");
    std::smatch match;
    const std::string subject(text, 3);
    if (!std::regex_match(subject, match, expression)) return 0;
    if (match[2].length() == 0) return 1;
    return 2;
}
