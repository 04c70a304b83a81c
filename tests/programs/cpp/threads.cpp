// Threads: mutexes, condition variables, futures, once, variables of their own, and order among them.
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <future>
#include <iostream>
#include <memory>
#include <mutex>
#include <queue>
#include <shared_mutex>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

thread_local int own = 5;

struct Noisy {
    std::string text = "of a thread";
    ~Noisy() { ended += text.size(); }
    static std::atomic<std::size_t> ended;
};
std::atomic<std::size_t> Noisy::ended{0};
thread_local Noisy noisy;

void counters() {
    std::vector<std::thread> threads;
    std::mutex mutex;
    std::atomic<int> hits{0};
    int total = 0;
    for (int i = 0; i < 4; ++i)
        threads.emplace_back([&, i] {
            for (int k = 0; k < 10; ++k) {
                std::lock_guard<std::mutex> lock(mutex);
                total += i * k;
                ++hits;
            }
            own += i;
            noisy.text += ".";
        });
    for (std::thread &thread : threads) thread.join();
    std::cout << total << ' ' << hits << ' ' << own << ' ' << Noisy::ended << '\n';
}

void queues() {
    std::queue<int> waiting;
    std::mutex mutex;
    std::condition_variable filled, emptied;
    long sum = 0;
    std::thread consumer([&] {
        for (;;) {
            std::unique_lock<std::mutex> lock(mutex);
            filled.wait(lock, [&] { return !waiting.empty(); });
            const int item = waiting.front();
            waiting.pop();
            emptied.notify_one();
            if (item < 0) return;
            sum += item;
        }
    });
    const auto put = [&](int item) {
        std::unique_lock<std::mutex> lock(mutex);
        emptied.wait(lock, [&] { return waiting.size() < 3; });
        waiting.push(item);
        filled.notify_one();
    };
    std::thread producers[2];
    for (int which = 0; which < 2; ++which)
        producers[which] = std::thread([&, which] {
            for (int i = 0; i < 10; ++i) put(100 * which + i);
        });
    for (std::thread &producer : producers) producer.join();
    put(-1);
    consumer.join();
    std::cout << sum << '\n';
}

void turns() {
    std::mutex mutex;
    std::condition_variable changed;
    int turn = 0;
    std::string order;
    std::vector<std::thread> threads;
    for (int i = 2; i >= 0; --i)
        threads.emplace_back([&, i] {
            for (int round = 0; round < 3; ++round) {
                std::unique_lock<std::mutex> lock(mutex);
                changed.wait(lock, [&] { return turn % 3 == i; });
                order += char('a' + i);
                ++turn;
                changed.notify_all();
            }
        });
    for (std::thread &thread : threads) thread.join();
    std::cout << order << '\n';
}

void futures() {
    auto twice = std::async(std::launch::async, [](int number) { return number * 2; }, 21);
    auto later = std::async(std::launch::deferred, [] { return std::string("later"); });
    auto fails = std::async([]() -> int { throw std::runtime_error("inside"); });
    std::cout << twice.get() << ' ' << later.get() << ' ';
    try {
        fails.get();
    } catch (const std::exception &error) {
        std::cout << error.what() << '\n';
    }
    std::promise<std::string> promise;
    auto promised = promise.get_future();
    std::thread waits([&] { std::cout << promised.get() << '\n'; });
    promise.set_value("promised");
    waits.join();
    std::packaged_task<int(int)> task([](int number) { return number + 1; });
    auto result = task.get_future();
    std::thread(std::move(task), 4).join();
    std::cout << result.get() << ' ';
    try {
        std::future<int> broken = std::promise<int>().get_future();
        broken.get();
    } catch (const std::future_error &error) {
        std::cout << error.what() << ' ' << (error.code() == std::future_errc::broken_promise) << '\n';
    }
    std::promise<int> never;
    std::cout << (never.get_future().wait_for(std::chrono::milliseconds(5)) == std::future_status::timeout) << '\n';
}

void others() {
    std::once_flag flag;
    int tries = 0;
    for (int i = 0; i < 3; ++i) {
        try {
            std::call_once(flag, [&] {
                if (++tries < 2) throw tries;
            });
        } catch (int) {
            std::cout << "again ";
        }
    }
    std::shared_mutex shared;
    {
        std::shared_lock<std::shared_mutex> one(shared), two(shared);
    }
    std::unique_lock<std::shared_mutex> alone(shared);
    std::timed_mutex timed;
    timed.lock();
    bool got = true;
    std::thread([&] { got = timed.try_lock_for(std::chrono::milliseconds(2)); }).join();
    timed.unlock();
    std::cout << tries << got << timed.try_lock_for(std::chrono::milliseconds(1)) << '\n';
    timed.unlock();
    std::string order;
    std::thread slow([&] {
        std::this_thread::sleep_for(std::chrono::milliseconds(60));
        order += "slow";
    });
    std::thread quick([&] {
        std::this_thread::sleep_for(std::chrono::milliseconds(10));
        order += "quick ";
    });
    quick.join();
    slow.join();
    std::atomic<bool> ready{false};
    std::thread sets([&] { ready = true; });
    while (!ready) std::this_thread::yield();
    sets.join();
    std::shared_ptr<int> pointer = std::make_shared<int>(3);
    std::cout << order << ' ' << *std::atomic_load(&pointer) << '\n';
    try {
        std::thread().join();
    } catch (const std::system_error &error) {
        std::cout << error.what() << '\n';
    }
}

int main() {
    counters();
    queues();
    turns();
    futures();
    others();
}
