// An exception that nobody catches.
#include <stdexcept>
#include <string>

static int parse(const std::string &text) {
    if (text.empty())
        throw std::invalid_argument("nothing to parse");
    return text[0] - '0';
}

int main() {
    try {
        return parse("1") + parse("");
    } catch (const std::runtime_error &) {
        return 1;
    }
}
