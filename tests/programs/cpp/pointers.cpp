// unique_ptr, shared_ptr, weak_ptr, custom deleters, cycles broken, RAII.
#include <cstdio>
#include <memory>
#include <utility>
#include <vector>

struct Thing { int id; explicit Thing(int i) : id(i) { std::printf("+%d ", id); } virtual ~Thing() { std::printf("-%d ", id); } };
struct Special : Thing { int extra; Special(int i, int e) : Thing(i), extra(e) {} ~Special() override { std::printf("special "); } };
struct Node { std::shared_ptr<Node> next; std::weak_ptr<Node> previous; int v; explicit Node(int v) : v(v) {} ~Node() { std::printf("~node%d ", v); } };
struct Self : std::enable_shared_from_this<Self> { std::shared_ptr<Self> me() { return shared_from_this(); } };
struct Tree { std::unique_ptr<Tree> left, right; int key; explicit Tree(int k) : key(k) {} };
static void insert(std::unique_ptr<Tree> &t, int k) { if (!t) t = std::make_unique<Tree>(k); else insert(k < t->key ? t->left : t->right, k); }
static void walk(const std::unique_ptr<Tree> &t) { if (t) { walk(t->left); std::printf("%d ", t->key); walk(t->right); } }

int main() {
    { std::unique_ptr<Thing> a(new Thing(1)), b = std::make_unique<Special>(2, 20); a = std::move(b); std::printf("%d %d ", a->id, b == nullptr); a.reset(new Thing(3)); Thing *raw = a.release(); delete raw; }
    std::printf("\n");
    { std::unique_ptr<int[]> n(new int[3]{1, 2, 3}); std::printf("%d ", n[2]); auto closer = [](int *p) { std::printf("closed %d ", *p); delete p; }; std::unique_ptr<int, decltype(closer)> f(new int(7), closer); }
    std::printf("\n");
    { auto s = std::make_shared<Special>(4, 40); std::shared_ptr<Thing> t = s; std::weak_ptr<Thing> w = t; std::printf("%ld ", s.use_count()); s.reset(); std::printf("%ld ", t.use_count()); std::printf("%d ", std::dynamic_pointer_cast<Special>(t)->extra); if (auto locked = w.lock()) std::printf("locked %d ", locked->id); t.reset(); std::printf("%d %d ", w.expired(), w.lock() == nullptr); try { std::shared_ptr<Thing> bad(w); } catch (std::bad_weak_ptr &e) { std::printf("%s", e.what()); } }
    std::printf("\n");
    { auto a = std::make_shared<Node>(1), b = std::make_shared<Node>(2); a->next = b; b->previous = a; std::printf("%ld %ld ", a.use_count(), b.use_count()); std::printf("%d ", b->previous.lock()->v); }
    std::printf("\n");
    { auto self = std::make_shared<Self>(); auto again = self->me(); std::printf("%ld ", self.use_count()); std::shared_ptr<int> with(new int(5), [](int *p) { std::printf("deleter %d ", *p); delete p; }); std::shared_ptr<Self> alias(with, self.get()); std::printf("%ld ", with.use_count()); }
    std::printf("\n");
    std::vector<std::unique_ptr<Thing>> all; for (int i = 10; i < 13; ++i) all.push_back(std::make_unique<Thing>(i)); all.erase(all.begin() + 1); std::printf("%zu ", all.size()); all.clear();
    std::unique_ptr<Tree> root; for (int k : {5, 2, 8, 1, 9, 3}) insert(root, k); walk(root);
    std::printf("\n");
}
