// dynamic_cast down, up, across and through virtual bases, with ambiguity and private bases; typeid.
#include <cstdio>
#include <typeindex>
#include <typeinfo>
#include <map>

struct Base { virtual ~Base() {} int b = 1; };
struct Derived : Base { int d = 2; };
struct Other { virtual ~Other() {} int o = 3; };
struct Multi : Derived, Other { int m = 4; };
struct V { virtual ~V() {} int v = 5; };
struct L : virtual V { int l = 6; }; struct R : virtual V { int r = 7; }; struct D : L, R { int dd = 8; };
struct L2 : Base { int x = 9; }; struct R2 : Base { int y = 10; }; struct Twice : L2, R2 {};
struct Secret : private Base { int s = 11; static Base *leak(Secret *p) { return p; } };
struct Unrelated { virtual ~Unrelated() {} };
namespace space { template <typename T> struct Box { virtual ~Box() {} T t; }; }

int main() {
    Multi multi; Base *b = &multi; Other *o = &multi;
    std::printf("%d %d %d %d\n", dynamic_cast<Derived *>(b)->d, dynamic_cast<Multi *>(o)->m, dynamic_cast<Other *>(b)->o, dynamic_cast<Base *>(o)->b);
    Base plain; b = &plain; std::printf("%d %d\n", dynamic_cast<Derived *>(b) == nullptr, dynamic_cast<Unrelated *>(b) == nullptr);
    D diamond; V *v = &diamond; L *l = &diamond; std::printf("%d %d %d %d\n", dynamic_cast<D *>(v)->dd, dynamic_cast<R *>(l)->r, dynamic_cast<R *>(v)->r, static_cast<V *>(l)->v);
    Twice twice; L2 *l2 = &twice; std::printf("%d %d\n", dynamic_cast<R2 *>(l2)->y, dynamic_cast<Twice *>(static_cast<Base *>(l2)) == &twice);
    Secret secret; b = Secret::leak(&secret); std::printf("%d\n", dynamic_cast<Secret *>(b) == nullptr);
    std::printf("%d %d\n", dynamic_cast<void *>(o) == static_cast<void *>(&multi), dynamic_cast<void *>(v) == static_cast<void *>(&diamond));
    try { Base &ref = plain; (void)dynamic_cast<Derived &>(ref); } catch (std::bad_cast &e) { std::printf("%s\n", e.what()); }
    try { Base *null = nullptr; (void)typeid(*null); } catch (std::bad_typeid &e) { std::printf("%s\n", e.what()); }
    b = &multi; std::printf("%s %s %s %s\n", typeid(*b).name(), typeid(b).name(), typeid(int).name(), typeid(space::Box<const char *>).name());
    std::printf("%d %d %d %d\n", typeid(*b) == typeid(Multi), typeid(*b) == typeid(Base), typeid(const int) == typeid(int), typeid(int *) != typeid(const int *));
    std::map<std::type_index, const char *> names{{typeid(int), "int"}, {typeid(double), "double"}, {typeid(Multi), "Multi"}};
    std::printf("%s %s\n", names[typeid(*b)], names[typeid(3.0)]);
    std::printf("%zu\n", typeid(Multi).hash_code() % 997);
}
