// statuses: 0 1 2
// A sum or a difference read from a string stream: what is no number fails the stream.
#include <klee/klee.h>
#include <sstream>
#include <string>

int main() {
    char text[4] = {};
    klee_make_symbolic(text, 3, "text");
    for (int i = 0; i < 3; i++) klee_assume((text[i] == '7') | (text[i] == '+') | (text[i] == '-') | (text[i] == 'x'));
    std::istringstream in(std::string(text, 3));
    int left = 0, right = 0;
    char sign = 0;
    if (!(in >> left)) return 1;
    if (!(in >> sign >> right)) return 2;
    std::ostringstream out;
    out << (sign == '+' ? left + right : left - right);
    if (out.str() == "14" || out.str() == "0") return 0;
    return 9; // never: seven and seven
}
