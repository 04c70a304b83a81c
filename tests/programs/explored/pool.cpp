// statuses: 0 1 2 3
// Workers that take tasks from a list; who does what depends on the order, what comes out does not.
#include <atomic>
#include <condition_variable>
#include <functional>
#include <klee/klee.h>
#include <list>
#include <mutex>
#include <thread>
#include <vector>

class Pool {
    std::mutex mutex;
    std::condition_variable changed;
    std::list<std::function<void()>> tasks;
    bool closed = false;
    std::vector<std::thread> workers;

    void work() {
        for (;;) {
            std::function<void()> task;
            {
                std::unique_lock<std::mutex> lock(mutex);
                changed.wait(lock, [this] { return closed || !tasks.empty(); });
                if (tasks.empty()) return;
                task = std::move(tasks.front());
                tasks.pop_front();
            }
            task();
        }
    }

public:
    explicit Pool(int count) {
        for (int i = 0; i < count; ++i) workers.emplace_back([this] { work(); });
    }
    void add(std::function<void()> task) {
        std::lock_guard<std::mutex> lock(mutex);
        tasks.push_back(std::move(task));
        changed.notify_one();
    }
    ~Pool() {
        {
            std::lock_guard<std::mutex> lock(mutex);
            closed = true;
        }
        changed.notify_all();
        for (std::thread &worker : workers) worker.join();
    }
};

int main() {
    const int bits = klee_range(0, 8, "bits");
    std::atomic<int> ones{0};
    {
        Pool pool(2);
        for (int i = 0; i < 3; ++i)
            pool.add([&ones, bits, i] {
                if (bits >> i & 1) ++ones;
            });
    }
    if (ones == 3) return 3;
    if (ones == 2) return 2;
    return ones;
}
