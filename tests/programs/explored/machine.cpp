// statuses: 0 1 2 3
// A machine with a stack, whose instructions are variants.
#include <klee/klee.h>
#include <stack>
#include <stdexcept>
#include <variant>
#include <vector>

struct Push { int number; };
struct Add {};
struct Drop {};
using Instruction = std::variant<Push, Add, Drop>;

struct Machine {
    std::stack<int> stack;
    int take() {
        if (stack.empty()) throw std::underflow_error("the stack is empty");
        const int top = stack.top();
        stack.pop();
        return top;
    }
    void operator()(Push push) { stack.push(push.number); }
    void operator()(Add) { stack.push(take() + take()); }
    void operator()(Drop) { take(); }
};

int main() {
    unsigned char codes[3];
    klee_make_symbolic(codes, 3, "codes");
    std::vector<Instruction> program;
    for (unsigned char code : codes) {
        klee_assume(code < 3);
        if (code == 0) program.push_back(Push{7});
        else if (code == 1) program.push_back(Add{});
        else program.push_back(Drop{});
    }
    Machine machine;
    try {
        for (const Instruction &instruction : program) std::visit(machine, instruction);
    } catch (const std::underflow_error &) {
        return 1;
    }
    if (machine.stack.size() == 3) return 3;
    if (machine.stack.top() == 14) return 2;
    return 0;
}
