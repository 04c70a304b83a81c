// statuses: 0 1 2
// Words of a stream, counted in a map.
#include <iostream>
#include <klee/klee.h>
#include <map>
#include <sstream>
#include <string>

int main() {
    char text[5] = {'a', ' ', 'a', ' ', 'a'};
    char symbolic[2];
    klee_make_symbolic(symbolic, 2, "letters");
    for (char &c : symbolic) klee_assume((c == 'a') | (c == 'b') | (c == ' '));
    text[2] = symbolic[0];
    text[3] = symbolic[1];
    std::istringstream in(std::string(text, 5));
    std::map<std::string, int> counts;
    for (std::string word; in >> word;) ++counts[word];
    for (const auto &[word, count] : counts) std::cout << word << ": " << count << '\n';
    if (counts.count("a") && counts["a"] == 3) return 2;
    if (counts.size() == 1) return 1;
    return 0;
}
