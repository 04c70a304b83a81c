// inputs: s[3]='a','b','-' n=0..3
// paths: 8
// finer: yes (comparing is the library's)
#include <klee/klee.h>
#include <string>

int main() {
    char s[3];
    klee_make_symbolic(s, 3, "s");
    for (int i = 0; i < 3; i++) klee_assume((s[i] == 'a') | (s[i] == 'b') | (s[i] == '-'));
    unsigned n = klee_range(0, 4, "n");
    std::string word;
    for (unsigned i = 0; i < n; i++) word += s[i];
    if (word == "ab") return 1;
    word = "<" + word + ">";
    if (word == "<a-b>") return 2;
    return word.size() > 4 ? 3 : 4;
}
