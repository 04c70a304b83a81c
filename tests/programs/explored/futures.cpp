// statuses: 0 1 2 3
// Tasks that run aside: their values and their exceptions come back through futures.
#include <future>
#include <klee/klee.h>
#include <stdexcept>

int half(int number) {
    if (number % 2) throw std::invalid_argument("odd");
    return number / 2;
}

int main() {
    unsigned char a = klee_range(0, 4, "a"), b = klee_range(0, 4, "b");
    auto one = std::async(std::launch::async, half, a);
    auto two = std::async(std::launch::deferred, half, b);
    std::promise<int> promise;
    std::future<int> three = promise.get_future();
    std::thread third([&] { promise.set_value(a > b); });
    int sum = 0;
    try {
        sum = one.get() + two.get();
    } catch (const std::invalid_argument &) {
        third.join();
        return 3;
    }
    third.join();
    if (three.get()) return 2;
    if (sum == 2) return 1;
    return 0;
}
