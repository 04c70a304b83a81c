// Virtual functions, multiple and virtual inheritance, calls during construction, covariant returns, pointers to members.
#include <cstdio>

struct Animal {
    virtual ~Animal() { std::printf("~Animal "); }
    virtual const char *sound() const = 0;
    virtual Animal *clone() const = 0;
    void speak() const { std::printf("%s ", sound()); }
};
struct Dog : Animal {
    const char *sound() const override { return "woof"; }
    Dog *clone() const override { return new Dog(*this); }
    ~Dog() override { std::printf("~Dog "); }
};
struct Puppy final : Dog { const char *sound() const override { return "yip"; } Puppy *clone() const override { return new Puppy; } };

struct Base { int b; Base(int b) : b(b) { std::printf("Base(%d) ", b); who(); } virtual void who() { std::printf("base "); } virtual ~Base() { who(); } };
struct Left : virtual Base { int l = 2; Left() : Base(10) { who(); } void who() override { std::printf("left "); } };
struct Right : virtual Base { int r = 3; Right() : Base(20) { who(); } void who() override { std::printf("right "); } };
struct Bottom : Left, Right { int x = 4; Bottom() : Base(30) { who(); } void who() override { std::printf("bottom(%d) ", b + l + r + x); } };

struct A { int a = 1; virtual int f() { return a; } virtual ~A() = default; };
struct B { int b = 2; virtual int g() { return b; } virtual ~B() = default; };
struct C : A, B { int c = 3; int f() override { return c * 10 + a; } int g() override { return c * 100 + b; } };

struct Counter { int n = 0; int add(int k) { return n += k; } virtual int twice(int k) { return n += 2 * k; } };
struct Loud : Counter { int twice(int k) override { return n += 20 * k; } };

int main() {
    Dog dog;
    Animal *all[] = {&dog, dog.clone(), Puppy().clone()};
    for (Animal *a : all) a->speak();
    delete all[1];
    delete all[2];
    std::printf("\n");
    {
        Bottom bottom;
        Base *base = &bottom;
        Right *right = &bottom;
        base->who();
        right->b = 1;
        static_cast<Left &>(bottom).who();
    }
    std::printf("\n");
    C c;
    A *a = &c;
    B *b = &c;
    std::printf("%d %d %d %d\n", a->f(), b->g(), static_cast<C *>(b)->c, a->A::f());
    int (Counter::*plain)(int) = &Counter::add, (Counter::*virt)(int) = &Counter::twice;
    int Counter::*field = &Counter::n;
    Loud loud;
    (loud.*plain)(1);
    (loud.*virt)(1);
    loud.*field += 100;
    int (C::*through)() = static_cast<int (C::*)()>(&B::g);
    std::printf("%d %d %d\n", loud.n, (c.*through)(), plain == virt);
}
