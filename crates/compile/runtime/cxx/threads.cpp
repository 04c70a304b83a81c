// Threads, and what they wait for: on those of the C library.

#include "common.h"

#include <condition_variable>
#include <errno.h>
#include <future>
#include <memory>
#include <mutex>
#include <pthread.h>
#include <system_error>
#include <thread>
#include <time.h>
#include <unistd.h>

extern "C" int __cxa_thread_atexit_impl(void (*)(void *), void *, void *);
extern "C" void *__dso_handle;

// ---------------------------------------------------------------------------------------------------------
// Threads

namespace std {

thread::_State::~_State() {}

namespace {

extern "C" void *refrain_thread_body(void *state) {
    unique_ptr<thread::_State> owned(static_cast<thread::_State *>(state));
    owned->_M_run();
    return nullptr;
}

} // namespace

void thread::_M_start_thread(_State_ptr state, void (*)()) {
    const int error = pthread_create(&_M_id._M_thread, nullptr, refrain_thread_body, state.get());
    if (error)
        __throw_system_error(error);
    state.release();
}

void thread::join() {
    const int error = joinable() ? pthread_join(_M_id._M_thread, nullptr) : EINVAL;
    if (error)
        __throw_system_error(error);
    _M_id = id();
}

void thread::detach() {
    const int error = joinable() ? pthread_detach(_M_id._M_thread) : EINVAL;
    if (error)
        __throw_system_error(error);
    _M_id = id();
}

unsigned thread::hardware_concurrency() noexcept {
    const long count = sysconf(_SC_NPROCESSORS_ONLN);
    return count > 0 ? unsigned(count) : 0;
}

// ---------------------------------------------------------------------------------------------------------
// Condition variables

condition_variable::condition_variable() noexcept = default;
condition_variable::~condition_variable() noexcept = default;
void condition_variable::wait(unique_lock<mutex> &lock)
#if _GLIBCXX_RELEASE < 12
    noexcept
#endif
{
    pthread_cond_wait(native_handle(), lock.mutex()->native_handle());
}
void condition_variable::notify_one() noexcept { pthread_cond_signal(native_handle()); }
void condition_variable::notify_all() noexcept { pthread_cond_broadcast(native_handle()); }

namespace {

/// What a thread does at its end.
struct Notice {
    condition_variable *condition;
    mutex *locked;
};

void give_notice(void *notice) {
    unique_ptr<Notice> owned(static_cast<Notice *>(notice));
    owned->locked->unlock();
    owned->condition->notify_all();
}

} // namespace

void notify_all_at_thread_exit(condition_variable &condition, unique_lock<mutex> lock) {
    __cxa_thread_atexit_impl(give_notice, new Notice{&condition, lock.release()}, &__dso_handle);
}

// ---------------------------------------------------------------------------------------------------------
// Calling once

__thread void *__once_callable;
__thread void (*__once_call)();
extern "C" void __once_proxy() { __once_call(); }

} // namespace std

// The C library's own function does not notice that an exception leaves what it calls: then it was not called.
extern "C" int pthread_once(pthread_once_t *control, void (*function)()) {
    enum { NOT_YET, RUNS, DONE };
    static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
    static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
    const auto become = [&](int state) {
        pthread_mutex_lock(&mutex);
        *control = state;
        pthread_cond_broadcast(&changed);
        pthread_mutex_unlock(&mutex);
    };
    pthread_mutex_lock(&mutex);
    while (*control == RUNS)
        pthread_cond_wait(&changed, &mutex);
    const bool is_first = *control == NOT_YET;
    if (is_first)
        *control = RUNS;
    pthread_mutex_unlock(&mutex);
    if (!is_first)
        return 0;
    try {
        function();
    } catch (...) {
        become(NOT_YET);
        throw;
    }
    become(DONE);
    return 0;
}

namespace std {

// ---------------------------------------------------------------------------------------------------------
// Futures. Those who wait for a word of memory to change wait on one condition together.

namespace {

pthread_mutex_t word_mutex = PTHREAD_MUTEX_INITIALIZER;
pthread_cond_t word_changed = PTHREAD_COND_INITIALIZER;

/// Whether the word has changed before the time was over.
bool wait_for_word(unsigned *word, unsigned value, bool limited, clockid_t clock, chrono::seconds seconds,
                   chrono::nanoseconds part) {
    const timespec until = {static_cast<time_t>(seconds.count()), static_cast<long>(part.count())};
    int result = 0;
    pthread_mutex_lock(&word_mutex);
    while (__atomic_load_n(word, __ATOMIC_ACQUIRE) == value && result != ETIMEDOUT)
        result = limited ? pthread_cond_clockwait(&word_changed, &word_mutex, clock, &until)
                         : pthread_cond_wait(&word_changed, &word_mutex);
    pthread_mutex_unlock(&word_mutex);
    return result != ETIMEDOUT;
}

} // namespace

bool __atomic_futex_unsigned_base::_M_futex_wait_until(unsigned *word, unsigned value, bool limited,
                                                       chrono::seconds seconds, chrono::nanoseconds part) {
    return wait_for_word(word, value, limited, CLOCK_REALTIME, seconds, part);
}
#if _GLIBCXX_RELEASE >= 11
bool __atomic_futex_unsigned_base::_M_futex_wait_until_steady(unsigned *word, unsigned value, bool limited,
                                                              chrono::seconds seconds, chrono::nanoseconds part) {
    return wait_for_word(word, value, limited, CLOCK_MONOTONIC, seconds, part);
}
#endif
void __atomic_futex_unsigned_base::_M_futex_notify_all(unsigned *) {
    pthread_mutex_lock(&word_mutex);
    pthread_cond_broadcast(&word_changed);
    pthread_mutex_unlock(&word_mutex);
}

namespace {

struct FutureCategory final : error_category {
    const char *name() const noexcept override { return "future"; }
    string message(int code) const override {
        switch (future_errc(code)) {
        case future_errc::promise_already_satisfied:
            return "Promise already satisfied";
        case future_errc::no_state:
            return "No associated state";
        case future_errc::broken_promise:
            return "Broken promise";
        case future_errc::future_already_retrieved:
            return "Future already retrieved";
        default:
            return "Unknown error";
        }
    }
};

} // namespace

const error_category &future_category() noexcept {
    static FutureCategory *category = new FutureCategory;
    return *category;
}

future_error::~future_error() noexcept {}
const char *future_error::what() const noexcept { return logic_error::what(); }
void __throw_future_error(int code) { throw future_error(make_error_code(future_errc(code))); }

__future_base::_Result_base::_Result_base() = default;
__future_base::_Result_base::~_Result_base() = default;

// A state that becomes ready at the end of the thread.
void __future_base::_State_baseV2::_Make_ready::_S_run(void *kept) {
    unique_ptr<_Make_ready> owned(static_cast<_Make_ready *>(kept));
    if (const auto state = owned->_M_shared_state.lock())
        state->_M_status._M_store_notify_all(_Status::__ready, memory_order_release);
}
void __future_base::_State_baseV2::_Make_ready::_M_set() {
    _M_cb = _S_run;
    __cxa_thread_atexit_impl(_S_run, this, &__dso_handle);
}

} // namespace std

// ---------------------------------------------------------------------------------------------------------
// Shared pointers that are read and written atomically

namespace std {

namespace {

pthread_mutex_t pointer_mutex = PTHREAD_MUTEX_INITIALIZER;

} // namespace

_Sp_locker::_Sp_locker(const void *) noexcept : _M_key1(0), _M_key2(0) { pthread_mutex_lock(&pointer_mutex); }
_Sp_locker::_Sp_locker(const void *, const void *) noexcept : _M_key1(0), _M_key2(0) {
    pthread_mutex_lock(&pointer_mutex);
}
_Sp_locker::~_Sp_locker() { pthread_mutex_unlock(&pointer_mutex); }

} // namespace std
