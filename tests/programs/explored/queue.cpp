// statuses: 0 1 2
// A producer and a consumer: the consumer waits first, and is woken by what comes.
#include <condition_variable>
#include <klee/klee.h>
#include <mutex>
#include <queue>
#include <thread>

int main() {
    unsigned char items[3];
    klee_make_symbolic(items, sizeof items, "items");
    for (unsigned char item : items) klee_assume(item < 4);
    std::queue<int> waiting;
    std::mutex mutex;
    std::condition_variable changed;
    bool done = false;
    int sum = 0, largest = 0;
    std::thread consumer([&] {
        for (;;) {
            std::unique_lock<std::mutex> lock(mutex);
            changed.wait(lock, [&] { return done || !waiting.empty(); });
            if (waiting.empty()) return;
            const int item = waiting.front();
            waiting.pop();
            sum += item;
            if (item > largest) largest = item;
        }
    });
    std::thread producer([&] {
        for (unsigned char item : items) {
            std::lock_guard<std::mutex> lock(mutex);
            waiting.push(item);
            changed.notify_one();
        }
        std::lock_guard<std::mutex> lock(mutex);
        done = true;
        changed.notify_all();
    });
    producer.join();
    consumer.join();
    if (sum == 9) return 2;
    if (largest == 0) return 1;
    return 0;
}
