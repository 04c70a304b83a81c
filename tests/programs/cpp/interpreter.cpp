// A small interpreter: variant-free syntax tree with virtual evaluation, environments in maps, errors as exceptions.
#include <cstdio>
#include <map>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

using Scope = std::map<std::string, long>;
struct Expr { virtual ~Expr() = default; virtual long eval(Scope &) const = 0; };
using Ptr = std::unique_ptr<Expr>;
struct Number : Expr { long v; explicit Number(long v) : v(v) {} long eval(Scope &) const override { return v; } };
struct Variable : Expr { std::string n; explicit Variable(std::string n) : n(std::move(n)) {} long eval(Scope &s) const override { auto it = s.find(n); if (it == s.end()) throw std::runtime_error("unknown variable " + n); return it->second; } };
struct Binary : Expr { char op; Ptr l, r; Binary(char o, Ptr l, Ptr r) : op(o), l(std::move(l)), r(std::move(r)) {}
    long eval(Scope &s) const override { long a = l->eval(s), b = r->eval(s); switch (op) { case '+': return a + b; case '-': return a - b; case '*': return a * b; case '<': return a < b; case '/': if (b == 0) throw std::domain_error("division by zero"); return a / b; } throw std::logic_error("operator"); } };
struct Assign : Expr { std::string n; Ptr v; Assign(std::string n, Ptr v) : n(std::move(n)), v(std::move(v)) {} long eval(Scope &s) const override { return s[n] = v->eval(s); } };
struct While : Expr { Ptr c; std::vector<Ptr> body; long eval(Scope &s) const override { long n = 0; while (c->eval(s)) { for (auto &e : body) e->eval(s); if (++n > 1000) throw std::length_error("endless loop"); } return n; } };

class Parser {
    const std::string &t; std::size_t at = 0;
    void space() { while (at < t.size() && t[at] == ' ') ++at; }
    bool take(char c) { space(); if (at < t.size() && t[at] == c) { ++at; return true; } return false; }
    [[noreturn]] void fail(const char *what) { throw std::invalid_argument(std::string(what) + " at " + std::to_string(at)); }
    Ptr primary() {
        space();
        if (take('(')) { Ptr e = expr(); if (!take(')')) fail("expected )"); return e; }
        if (take('@')) { auto w = std::make_unique<While>(); w->c = comparison(); if (!take('{')) fail("expected {"); while (!take('}')) { w->body.push_back(expr()); take(';'); } return w; }
        std::size_t start = at;
        while (at < t.size() && t[at] >= '0' && t[at] <= '9') ++at;
        if (at > start) return std::make_unique<Number>(std::stol(t.substr(start, at - start)));
        while (at < t.size() && t[at] >= 'a' && t[at] <= 'z') ++at;
        if (at == start) fail("expected a value");
        return std::make_unique<Variable>(t.substr(start, at - start));
    }
    Ptr product() { Ptr l = primary(); for (;;) { if (take('*')) l = std::make_unique<Binary>('*', std::move(l), primary()); else if (take('/')) l = std::make_unique<Binary>('/', std::move(l), primary()); else return l; } }
    Ptr sum() { Ptr l = product(); for (;;) { if (take('+')) l = std::make_unique<Binary>('+', std::move(l), product()); else if (take('-')) l = std::make_unique<Binary>('-', std::move(l), product()); else return l; } }
    Ptr comparison() { Ptr l = sum(); if (take('<')) return std::make_unique<Binary>('<', std::move(l), sum()); return l; }
public:
    explicit Parser(const std::string &t) : t(t) {}
    Ptr expr() { Ptr l = comparison(); if (take('=')) { auto *v = dynamic_cast<Variable *>(l.get()); if (!v) fail("cannot assign"); return std::make_unique<Assign>(v->n, expr()); } return l; }
    Ptr all() { Ptr e = expr(); space(); if (at != t.size()) fail("trailing text"); return e; }
};

int main() {
    Scope scope;
    for (std::string line : {"1 + 2 * 3", "x = (4 + 5) * 2", "x / (x - 18)", "y + 1", "i = n = 0", "@ i < 10 { n = n + i * i; i = i + 1 }", "n", "(1", "3 = 4", "@ 0 < 1 { i = i + 1 }", "5 5"})
        try { std::printf("%s -> %ld\n", line.c_str(), Parser(line).all()->eval(scope)); }
        catch (const std::invalid_argument &e) { std::printf("%s: syntax: %s\n", line.c_str(), e.what()); }
        catch (const std::logic_error &e) { std::printf("%s: logic: %s\n", line.c_str(), e.what()); }
        catch (const std::exception &e) { std::printf("%s: %s\n", line.c_str(), e.what()); }
    return int(scope["n"] % 256);
}
