// statuses: 1 2 3 4
// Fields between commas, and what is empty among them.
#include <algorithm>
#include <klee/klee.h>
#include <sstream>
#include <string>
#include <vector>

int main() {
    char text[3];
    klee_make_symbolic(text, 3, "text");
    for (char &c : text) klee_assume((c == 'a') | (c == ','));
    std::istringstream in(std::string(text, 3));
    std::vector<std::string> fields;
    for (std::string field; std::getline(in, field, ',');) fields.push_back(field);
    auto empty = std::count(fields.begin(), fields.end(), "");
    if (fields.size() == 1) return 1;
    if (empty == 0) return 2;
    if (static_cast<std::size_t>(empty) == fields.size()) return 3;
    return 4;
}
