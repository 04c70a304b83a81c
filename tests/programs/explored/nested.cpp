// statuses: 1 2 3
// A parser that goes down by itself, over a stream that it can look ahead in.
#include <klee/klee.h>
#include <memory>
#include <sstream>
#include <stdexcept>
#include <string>
#include <vector>

struct Node {
    std::vector<std::unique_ptr<Node>> children;
    int depth() const {
        int deepest = 0;
        for (const auto &child : children) deepest = std::max(deepest, child->depth());
        return deepest + 1;
    }
};

std::unique_ptr<Node> parse(std::istream &in) {
    if (in.get() != '(') throw std::runtime_error("an opening parenthesis is missing");
    auto node = std::make_unique<Node>();
    while (in.peek() == '(') node->children.push_back(parse(in));
    if (in.get() != ')') throw std::runtime_error("a closing parenthesis is missing");
    return node;
}

int main() {
    char text[4];
    klee_make_symbolic(text, 4, "text");
    for (char &c : text) klee_assume((c == '(') | (c == ')') | (c == ' '));
    std::istringstream in(std::string(text, 4));
    try {
        const auto root = parse(in);
        if (in.peek() != std::char_traits<char>::eof()) return 2;
        if (root->depth() == 2) return 3;
        return 9; // never: four characters are two pairs
    } catch (const std::runtime_error &) {
        return 1;
    }
}
