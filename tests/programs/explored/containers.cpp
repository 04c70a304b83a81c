// statuses: 0 1 2
// Commands to several containers at once, which must agree.
#include <deque>
#include <klee/klee.h>
#include <list>
#include <set>
#include <unordered_set>

int main() {
    unsigned char commands[3];
    klee_make_symbolic(commands, 3, "commands");
    std::set<int> tree;
    std::unordered_set<int> table;
    std::list<int> list;
    std::deque<int> ends;
    for (unsigned char command : commands) {
        klee_assume(command < 4);
        const int number = command & 1;
        if (command & 2) {
            tree.erase(number);
            table.erase(number);
            list.remove(number);
            if (!ends.empty()) ends.pop_front();
        } else {
            if (tree.insert(number).second) list.push_back(number);
            table.insert(number);
            ends.push_back(number);
        }
        if (tree.size() != table.size() || tree.size() != list.size()) return 9; // never
    }
    if (tree.size() == 2) return 2;
    if (ends.empty()) return 1;
    return 0;
}
