// statuses: 0 1 2 3 4
// Settings `key=value`: what is wrong with them is an exception.
#include <klee/klee.h>
#include <stdexcept>
#include <string>
#include <unordered_map>

int main() {
    char text[3];
    klee_make_symbolic(text, 3, "text");
    for (char &c : text) klee_assume((c == 'k') | (c == '=') | (c == '5') | (c == '9'));
    const std::string line(text, 3);
    const auto sign = line.find('=');
    if (sign == line.npos) return 1;
    std::unordered_map<std::string, int> settings;
    try {
        settings[line.substr(0, sign)] = std::stoi(line.substr(sign + 1));
    } catch (const std::invalid_argument &) {
        return 2;
    }
    try {
        if (settings.at("k") > 6) return 4;
        return 0;
    } catch (const std::out_of_range &) {
        return 3;
    }
}
