// The part of a C++ implementation that is no header: what programs compiled against libstdc++'s headers
// expect from its library and from the Itanium C++ ABI. It is compiled to bitcode beside the program, so that
// the machine runs all of it and needs to give a single primitive, `__refrain_unwind`.
//
// Streams, locales, threads, file systems and more are parts of their own.

#include <chrono>
#include <cxxabi.h>
#include <bits/cxxabi_forced.h>
#include <exception>
#include <functional>
#include <list>
#include <map>
#include <memory>
#include <new>
#include <stdexcept>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <string>
#include <system_error>
#include <time.h>
#include <typeinfo>
#include <unistd.h>
#include <unordered_map>

#ifndef __GLIBCXX__
#error "Refrain's C++ runtime is made for the headers of libstdc++; leave out -stdlib=libc++"
#endif

namespace {

void say(const char *text) {
    if (write(2, text, strlen(text)) < 0) {
        // There is nobody left to tell.
    }
}

[[noreturn]] void die(const char *text) {
    say(text);
    abort();
}

} // namespace

#include "core/memory.h"
#include "core/types.h"
#include "core/names.h"
#include "core/exceptions.h"
#include "core/errors.h"
#include "core/trees.h"
#include "core/lists.h"
#include "core/hashes.h"

namespace std {

// Strings, for bitcode that was compiled with a library in mind

template class allocator<char>;
template class allocator<wchar_t>;
template class basic_string<char>;
template class basic_string<wchar_t>;

// ---------------------------------------------------------------------------------------------------------
// The placeholders of std::bind: whether headers define them depends on their age, so that these give way

#define REFRAIN_PLACEHOLDER(number, symbol)                                                                          \
    extern const char refrain_placeholder_##number __asm__(symbol) __attribute__((weak, used));                      \
    const char refrain_placeholder_##number = 0;

REFRAIN_PLACEHOLDER(1, "_ZNSt12placeholders2_1E")
REFRAIN_PLACEHOLDER(2, "_ZNSt12placeholders2_2E")
REFRAIN_PLACEHOLDER(3, "_ZNSt12placeholders2_3E")
REFRAIN_PLACEHOLDER(4, "_ZNSt12placeholders2_4E")
REFRAIN_PLACEHOLDER(5, "_ZNSt12placeholders2_5E")
REFRAIN_PLACEHOLDER(6, "_ZNSt12placeholders2_6E")
REFRAIN_PLACEHOLDER(7, "_ZNSt12placeholders2_7E")
REFRAIN_PLACEHOLDER(8, "_ZNSt12placeholders2_8E")
REFRAIN_PLACEHOLDER(9, "_ZNSt12placeholders2_9E")

// ---------------------------------------------------------------------------------------------------------
// Clocks

namespace chrono {
inline namespace _V2 {

system_clock::time_point system_clock::now() noexcept {
    timespec time;
    clock_gettime(CLOCK_REALTIME, &time);
    return time_point(duration(seconds(time.tv_sec) + nanoseconds(time.tv_nsec)));
}

steady_clock::time_point steady_clock::now() noexcept {
    timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return time_point(duration(seconds(time.tv_sec) + nanoseconds(time.tv_nsec)));
}

} // namespace _V2
} // namespace chrono

} // namespace std
