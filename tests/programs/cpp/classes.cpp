// Classes: construction and destruction in order, copies and moves, operators, static members, friends, conversions.
#include <cstdio>
#include <utility>

struct Trace {
    const char *name;
    static int alive;
    explicit Trace(const char *n) : name(n) { ++alive; std::printf("+%s ", name); }
    Trace(const Trace &o) : name(o.name) { ++alive; std::printf("copy %s ", name); }
    Trace(Trace &&o) noexcept : name(std::exchange(o.name, "moved")) { ++alive; std::printf("move %s ", name); }
    Trace &operator=(const Trace &o) { name = o.name; std::printf("assign %s ", name); return *this; }
    ~Trace() { --alive; std::printf("-%s ", name); }
};
int Trace::alive;

struct Whole { Trace first{"first"}, second{"second"}; Trace third; Whole() : third("third") { std::printf("whole "); } ~Whole() { std::printf("gone "); } };

class Fraction {
    long n, d;
    static long gcd(long a, long b) { return b ? gcd(b, a % b) : a < 0 ? -a : a; }
public:
    Fraction(long n, long d = 1) : n(n), d(d) { long g = gcd(n, d); this->n /= g; this->d /= g; if (this->d < 0) { this->n = -this->n; this->d = -this->d; } }
    friend Fraction operator+(Fraction a, Fraction b) { return {a.n * b.d + b.n * a.d, a.d * b.d}; }
    friend Fraction operator*(Fraction a, Fraction b) { return {a.n * b.n, a.d * b.d}; }
    Fraction operator-() const { return {-n, d}; }
    Fraction &operator+=(Fraction b) { return *this = *this + b; }
    Fraction &operator++() { n += d; return *this; }
    Fraction operator++(int) { Fraction before = *this; ++*this; return before; }
    bool operator<(Fraction b) const { return n * b.d < b.n * d; }
    bool operator==(Fraction b) const { return n == b.n && d == b.d; }
    explicit operator double() const { return double(n) / double(d); }
    void show() const { std::printf("%ld/%ld ", n, d); }
};
struct Grid {
    int cells[3][3] = {};
    int &operator()(int x, int y) { return cells[y][x]; }
    const int *operator[](int y) const { return cells[y]; }
};
static Trace make(const char *name) { Trace t(name); return t; }
static void take(Trace t) { std::printf("took %s ", t.name); }

int main() {
    { Whole w; }
    std::printf("%d\n", Trace::alive);
    { Trace a = make("made"); Trace b = a; take(a); take(std::move(b)); b = a; std::printf("%s ", b.name); }
    std::printf("%d\n", Trace::alive);
    Fraction half(1, 2), sum = half + Fraction(1, 3) * 4;
    sum.show(); (-sum).show(); sum += 2; sum.show(); (sum++).show(); (++sum).show();
    std::printf("%d %d %.4f\n", half < sum, half == Fraction(-2, -4), double(sum));
    Grid g;
    g(1, 2) = 5; g(0, 0) += 3;
    std::printf("%d %d %d\n", g[2][1], g[0][0], g[1][1]);
    Trace *array = new Trace[2]{Trace("x"), Trace("y")};
    delete[] array;
    std::printf("%d\n", Trace::alive);
}
