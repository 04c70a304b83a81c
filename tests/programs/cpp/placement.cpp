// Placement new, operators new and delete of a class, explicit destruction, alignment, an arena and a small vector by hand.
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <new>
#include <utility>

struct Item { int v; explicit Item(int v) : v(v) { std::printf("+%d ", v); } Item(Item &&o) noexcept : v(o.v) { o.v = -1; } ~Item() { std::printf("-%d ", v); } };
class Arena {
    alignas(std::max_align_t) unsigned char memory[256]; std::size_t used = 0;
public:
    template <typename T, typename... A> T *make(A &&...a) { used = (used + alignof(T) - 1) / alignof(T) * alignof(T); void *at = memory + used; used += sizeof(T); return new (at) T(std::forward<A>(a)...); }
    std::size_t size() const { return used; }
};
struct Counted { static int news, deletes; long pad[3]; static void *operator new(std::size_t n) { ++news; return std::malloc(n); } static void operator delete(void *p) { ++deletes; std::free(p); } };
int Counted::news, Counted::deletes;
struct alignas(128) Wide { char c; };
template <typename T> class Small {
    T *data = nullptr; std::size_t n = 0, cap = 0;
public:
    void push(T t) { if (n == cap) { cap = cap ? cap * 2 : 1; T *next = static_cast<T *>(::operator new(cap * sizeof(T))); for (std::size_t i = 0; i < n; ++i) { new (next + i) T(std::move(data[i])); data[i].~T(); } ::operator delete(data); data = next; } new (data + n++) T(std::move(t)); }
    ~Small() { while (n) data[--n].~T(); ::operator delete(data); }
};

int main() {
    alignas(Item) unsigned char buffer[sizeof(Item) * 2];
    Item *a = new (buffer) Item(1), *b = new (buffer + sizeof(Item)) Item(2);
    b->~Item(); a->~Item();
    Arena arena; char *c = arena.make<char>('x'); double *d = arena.make<double>(2.5); Item *i = arena.make<Item>(3);
    std::printf("%c %g %d %zu\n", *c, *d, i->v, arena.size()); i->~Item();
    delete new Counted; Counted *kept = new Counted; std::printf("%d %d\n", Counted::news, Counted::deletes); delete kept;
    Wide *w = new Wide; std::printf("%d\n", int(reinterpret_cast<std::uintptr_t>(w) % 128)); delete w;
    { Small<Item> s; for (int k = 10; k < 13; ++k) s.push(Item(k)); std::printf("| "); }
    std::printf("\n");
    int *n = new (std::nothrow) int[4](); std::printf("%d\n", n[3]); delete[] n;
}
