// Order of static initialisation and destruction, function statics, thread_local, constant initialisation.
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

struct Log { const char *n; Log(const char *n) : n(n) { std::printf("+%s ", n); } ~Log() { std::printf("-%s ", n); } };
static Log first("first");
namespace { Log second("second"); }
struct Holder { static Log member; };
Log Holder::member("member");
static int computed = [] { std::printf("lambda "); return 7; }();
constexpr int constant = 6 * 7;
static int from_constant = constant + computed;
static const std::string text = std::string("global ") + "string";
static std::vector<int> table = {1, 2, 3};
static Log &lazy() { static Log l("lazy"); return l; }
static int attempts;
static int fragile() { static int value = [] { if (++attempts < 3) throw attempts; return 99; }(); return value; }
thread_local int per_thread = 5;
thread_local Log thread_log("thread");
static void at_exit() { std::printf("atexit "); }

int main() {
    std::printf("main ");
    std::atexit(at_exit);
    lazy(); lazy();
    static Log local("local");
    for (int i = 0; i < 4; ++i) try { std::printf("%d ", fragile()); } catch (int a) { std::printf("threw%d ", a); }
    per_thread += from_constant;
    std::printf("%s %s %zu %d ", thread_log.n, text.c_str(), table.size(), per_thread);
    const Log &extended = Log("temporary");
    std::printf("%s end ", extended.n);
    return 3;
}
