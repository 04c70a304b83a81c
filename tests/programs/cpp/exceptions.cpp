// Exceptions: by base, by value, by pointer, nested, thrown again, out of constructors, through destructors, from noexcept's edge.
#include <cstdio>
#include <exception>
#include <new>
#include <stdexcept>
#include <string>

struct Guard { const char *n; explicit Guard(const char *n) : n(n) {} ~Guard() { std::printf("~%s(%d) ", n, std::uncaught_exceptions()); } };
struct Error { int code; explicit Error(int c) : code(c) {} Error(const Error &o) : code(o.code + 1) {} virtual ~Error() {} virtual const char *kind() const { return "error"; } };
struct Worse : Error { using Error::Error; const char *kind() const override { return "worse"; } };
struct Mixin { int m = 7; virtual ~Mixin() {} };
struct Both : Mixin, Worse { Both() : Worse(50) {} };
struct VBase { int v = 1; virtual ~VBase() {} };
struct V1 : virtual VBase {}; struct V2 : virtual VBase {}; struct V : V1, V2 {};
class Hidden : private Error { public: Hidden() : Error(1) {} };

static void raise(int how) {
    Guard g("raise");
    switch (how) {
    case 0: throw 42;
    case 1: throw Worse(1);
    case 2: throw Both();
    case 3: throw "literal";
    case 4: throw std::out_of_range("range");
    case 5: { static Worse w(9); throw &w; }
    case 6: throw V();
    case 7: throw Hidden();
    case 8: throw std::string("a string");
    case 9: throw nullptr;
    case 10: throw 2.5f;
    case 11: (void)std::string("abc").substr(5); break;
    case 12: { int *const *p = nullptr; throw p; }
    }
    std::printf("not thrown ");
}
static void attempt(int how) {
    try {
        Guard g("attempt");
        raise(how);
    } catch (int i) { std::printf("int %d\n", i);
    } catch (const char *s) { std::printf("text %s\n", s);
    } catch (const Mixin &m) { std::printf("mixin %d\n", m.m);
    } catch (Error &e) { std::printf("%s %d\n", e.kind(), e.code);
    } catch (const Error *e) { std::printf("pointer %s\n", e->kind());
    } catch (VBase &v) { std::printf("virtual base %d\n", v.v);
    } catch (const std::logic_error &e) { std::printf("logic %s\n", e.what());
    } catch (std::string s) { std::printf("string %s\n", s.c_str());
    } catch (const void *p) { std::printf("some pointer %d\n", p == nullptr);
    } catch (...) { std::printf("anything\n"); }
}
struct Part { int n; Part(int n) : n(n) { if (n == 3) throw Error(n); std::printf("+%d ", n); } ~Part() { std::printf("-%d ", n); } };
struct Assembly { Part a{1}, b{2}; Part c; Assembly(int k) try : c(k) { std::printf("whole "); } catch (Error &e) { std::printf("failed %d ", e.code); } };
static void rethrow(int depth) {
    try { if (depth == 0) throw std::runtime_error("deep"); rethrow(depth - 1); }
    catch (std::exception &e) { std::printf("%d:%s ", depth, e.what()); throw; }
}
struct Careful { ~Careful() { try { throw 1; } catch (int) { std::printf("inside "); } } };
static int fallback(int n) try { if (n < 0) throw n; return n; } catch (int m) { return -m * 10; }
static void nested() { try { try { throw std::runtime_error("inner"); } catch (...) { std::throw_with_nested(std::logic_error("outer")); } }
    catch (std::exception &e) { std::printf("%s ", e.what()); try { std::rethrow_if_nested(e); } catch (std::exception &i) { std::printf("%s\n", i.what()); } } }

int main() {
    for (int how = 0; how <= 13; ++how) attempt(how);
    try { Assembly a(5); } catch (...) { std::printf("never "); }
    try { Assembly a(3); } catch (Error &e) { std::printf("outside %d\n", e.code); }
    try { Part parts[4] = {5, 4, 3, 2}; } catch (Error &) { std::printf("array\n"); }
    try { new Part[2]{1, 3}; } catch (Error &) { std::printf("heap\n"); }
    try { rethrow(3); } catch (const std::runtime_error &e) { std::printf("%s\n", e.what()); }
    try { Careful c; throw 2.0; } catch (double d) { std::printf("%g\n", d); }
    std::printf("%d %d\n", fallback(4), fallback(-4));
    nested();
    std::exception_ptr kept;
    try { throw Worse(7); } catch (...) { kept = std::current_exception(); }
    for (int i = 0; i < 2; ++i) try { std::rethrow_exception(kept); } catch (Error &e) { std::printf("%s %d ", e.kind(), e.code); e.code = 70; }
    std::exception_ptr made = std::make_exception_ptr(std::bad_alloc());
    try { std::rethrow_exception(made); } catch (std::exception &e) { std::printf("%s\n", e.what()); }
    std::printf("%d %d\n", noexcept(fallback(1)), noexcept(Guard("x").n));
    try { try { throw 1; } catch (int) { throw 2; } } catch (int i) { std::printf("replaced %d\n", i); }
    for (int i = 0; i < 3; ++i) { try { if (i == 1) continue; if (i == 2) throw i; Guard g("loop"); } catch (int) { break; } }
    std::printf("\n%d\n", std::uncaught_exceptions());
}
