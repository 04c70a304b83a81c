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

// ---------------------------------------------------------------------------------------------------------
// Memory

namespace std {

const nothrow_t nothrow = nothrow_t();

namespace {
new_handler the_new_handler;
}

new_handler set_new_handler(new_handler handler) noexcept {
    new_handler before = the_new_handler;
    the_new_handler = handler;
    return before;
}

new_handler get_new_handler() noexcept { return the_new_handler; }

} // namespace std

namespace {

void *allocate(size_t size, size_t alignment) {
    if (size == 0)
        size = 1;
    for (;;) {
        void *memory = nullptr;
        if (alignment <= alignof(max_align_t))
            memory = malloc(size);
        else if (posix_memalign(&memory, alignment, size) != 0)
            memory = nullptr;
        if (memory)
            return memory;
        std::new_handler handler = std::get_new_handler();
        if (!handler)
            throw std::bad_alloc();
        handler();
    }
}

void *allocate_or_null(size_t size, size_t alignment) noexcept {
    try {
        return allocate(size, alignment);
    } catch (...) {
        return nullptr;
    }
}

} // namespace

void *operator new(size_t size) { return allocate(size, 1); }
void *operator new[](size_t size) { return allocate(size, 1); }
void *operator new(size_t size, const std::nothrow_t &) noexcept { return allocate_or_null(size, 1); }
void *operator new[](size_t size, const std::nothrow_t &) noexcept { return allocate_or_null(size, 1); }
void *operator new(size_t size, std::align_val_t to) { return allocate(size, size_t(to)); }
void *operator new[](size_t size, std::align_val_t to) { return allocate(size, size_t(to)); }
void *operator new(size_t size, std::align_val_t to, const std::nothrow_t &) noexcept {
    return allocate_or_null(size, size_t(to));
}
void *operator new[](size_t size, std::align_val_t to, const std::nothrow_t &) noexcept {
    return allocate_or_null(size, size_t(to));
}
void operator delete(void *memory) noexcept { free(memory); }
void operator delete[](void *memory) noexcept { free(memory); }
void operator delete(void *memory, size_t) noexcept { free(memory); }
void operator delete[](void *memory, size_t) noexcept { free(memory); }
void operator delete(void *memory, const std::nothrow_t &) noexcept { free(memory); }
void operator delete[](void *memory, const std::nothrow_t &) noexcept { free(memory); }
void operator delete(void *memory, std::align_val_t) noexcept { free(memory); }
void operator delete[](void *memory, std::align_val_t) noexcept { free(memory); }
void operator delete(void *memory, size_t, std::align_val_t) noexcept { free(memory); }
void operator delete[](void *memory, size_t, std::align_val_t) noexcept { free(memory); }
void operator delete(void *memory, std::align_val_t, const std::nothrow_t &) noexcept { free(memory); }
void operator delete[](void *memory, std::align_val_t, const std::nothrow_t &) noexcept { free(memory); }

// ---------------------------------------------------------------------------------------------------------
// Run-time types. A compiler that sees the destructor of `__fundamental_type_info` defined also emits the
// descriptions of all fundamental types and of pointers to them.

namespace {

using abi::__class_type_info;
using abi::__si_class_type_info;
using abi::__vmi_class_type_info;

/// Subobjects of one type within an object.
struct Search {
    const __class_type_info *wanted;
    /// When not null, only the subobject at this address counts.
    const char *at;
    /// The first one found, and whether there is another one.
    const char *found;
    bool several;
    /// Whether there is a path of public bases to the one found.
    bool is_public;
};

/// Goes through the bases of `object`, a `type`. When there is no object (a null pointer was thrown), places stand
/// in for addresses: virtual bases are told apart by their types.
void search(Search &what, const __class_type_info *type, const char *object, bool is_public, bool is_object) {
    if (*type == *what.wanted && (!what.at || what.at == object)) {
        if (!what.found) {
            what.found = object;
            what.is_public = is_public;
        } else if (what.found == object) {
            what.is_public |= is_public;
        } else {
            what.several = true;
        }
        return;
    }
    const std::type_info &kind = typeid(*type);
    if (kind == typeid(__si_class_type_info)) {
        search(what, static_cast<const __si_class_type_info *>(type)->__base_type, object, is_public, is_object);
    } else if (kind == typeid(__vmi_class_type_info)) {
        const __vmi_class_type_info *derived = static_cast<const __vmi_class_type_info *>(type);
        for (unsigned i = 0; i < derived->__base_count; ++i) {
            const abi::__base_class_type_info &base = derived->__base_info[i];
            const char *part;
            if (!base.__is_virtual_p()) {
                part = object + base.__offset();
            } else if (is_object) {
                const char *vtable = *reinterpret_cast<const char *const *>(object);
                part = object + *reinterpret_cast<const ptrdiff_t *>(vtable + base.__offset());
            } else {
                part = reinterpret_cast<const char *>(base.__base_type);
            }
            search(what, base.__base_type, part, is_public && base.__is_public_p(), is_object);
        }
    }
}

/// The one public base of type `to` of an object, if there is one.
bool upcast(const __class_type_info *from, const __class_type_info *to, void **object) {
    static const char nowhere = 0;
    const bool is_object = *object != nullptr;
    const char *start = is_object ? static_cast<const char *>(*object) : &nowhere;
    Search what = {to, nullptr, nullptr, false, false};
    search(what, from, start, true, is_object);
    if (!what.found || what.several || !what.is_public)
        return false;
    if (is_object)
        *object = const_cast<char *>(what.found);
    return true;
}

/// All subobjects of type `to`, for `__dynamic_cast`: which of them have the source as a public base.
struct Downcast {
    const __class_type_info *to;
    const __class_type_info *source_type;
    const char *source;
    const char *found;
    bool several;
};

void find_derived(Downcast &what, const __class_type_info *type, const char *object) {
    if (*type == *what.to) {
        Search below = {what.source_type, what.source, nullptr, false, false};
        search(below, type, object, true, true);
        if (below.found && below.is_public) {
            if (!what.found)
                what.found = object;
            else if (what.found != object)
                what.several = true;
        }
        return;
    }
    const std::type_info &kind = typeid(*type);
    if (kind == typeid(__si_class_type_info)) {
        find_derived(what, static_cast<const __si_class_type_info *>(type)->__base_type, object);
    } else if (kind == typeid(__vmi_class_type_info)) {
        const __vmi_class_type_info *derived = static_cast<const __vmi_class_type_info *>(type);
        for (unsigned i = 0; i < derived->__base_count; ++i) {
            const abi::__base_class_type_info &base = derived->__base_info[i];
            ptrdiff_t offset = base.__offset();
            if (base.__is_virtual_p()) {
                const char *vtable = *reinterpret_cast<const char *const *>(object);
                offset = *reinterpret_cast<const ptrdiff_t *>(vtable + offset);
            }
            find_derived(what, base.__base_type, object + offset);
        }
    }
}

} // namespace

namespace std {

type_info::~type_info() {}
#if !__GXX_TYPEINFO_EQUALITY_INLINE
bool type_info::before(const type_info &other) const noexcept {
    return (__name[0] == '*' && other.__name[0] == '*') ? __name < other.__name : strcmp(__name, other.__name) < 0;
}
#endif
bool type_info::__is_pointer_p() const { return false; }
bool type_info::__is_function_p() const { return false; }
bool type_info::__do_catch(const type_info *thrown, void **, unsigned) const { return *this == *thrown; }
bool type_info::__do_upcast(const abi::__class_type_info *, void **) const { return false; }

} // namespace std

namespace __cxxabiv1 {

__fundamental_type_info::~__fundamental_type_info() {}
__array_type_info::~__array_type_info() {}
__enum_type_info::~__enum_type_info() {}
__function_type_info::~__function_type_info() {}
bool __function_type_info::__is_function_p() const { return true; }

__pbase_type_info::~__pbase_type_info() {}
bool __pbase_type_info::__do_catch(const std::type_info *thrown, void **object, unsigned outer) const {
    if (*this == *thrown)
        return true;
    if (*thrown == typeid(decltype(nullptr))) {
        // A null pointer converts to any pointer; a null pointer to member has a value of its own.
        if (__is_pointer_p()) {
            *object = nullptr;
        } else if (__pointee->__is_function_p()) {
            static const ptrdiff_t null_function[2] = {0, 0};
            *object = const_cast<ptrdiff_t *>(null_function);
        } else {
            static const ptrdiff_t null_member = -1;
            *object = const_cast<ptrdiff_t *>(&null_member);
        }
        return true;
    }
    if (typeid(*this) != typeid(*thrown))
        return false;
    // Qualifiers may be added below the top only where every level in between is constant.
    if (!(outer & 1))
        return false;
    const __pbase_type_info *source = static_cast<const __pbase_type_info *>(thrown);
    const unsigned of_functions = __transaction_safe_mask | __noexcept_mask;
    const unsigned of_objects = __const_mask | __volatile_mask | __restrict_mask;
    if ((source->__flags & of_objects) & ~(__flags & of_objects))
        return false;
    if ((__flags & of_functions) & ~(source->__flags & of_functions))
        return false;
    if (!(__flags & __const_mask))
        outer &= ~1u;
    return __pointer_catch(source, object, outer);
}

__pointer_type_info::~__pointer_type_info() {}
bool __pointer_type_info::__is_pointer_p() const { return true; }
bool __pointer_type_info::__pointer_catch(const __pbase_type_info *thrown, void **object, unsigned outer) const {
    if (outer < 2 && *__pointee == typeid(void))
        return !thrown->__pointee->__is_function_p();
    return __pbase_type_info::__pointer_catch(thrown, object, outer);
}

__pointer_to_member_type_info::~__pointer_to_member_type_info() {}
bool __pointer_to_member_type_info::__pointer_catch(const __pbase_type_info *thrown, void **object,
                                                    unsigned outer) const {
    const __pointer_to_member_type_info *member = static_cast<const __pointer_to_member_type_info *>(thrown);
    if (*__context != *member->__context)
        return false;
    return __pbase_type_info::__pointer_catch(thrown, object, outer);
}

__class_type_info::~__class_type_info() {}
bool __class_type_info::__do_upcast(const __class_type_info *to, void **object) const {
    return upcast(this, to, object);
}
bool __class_type_info::__do_catch(const std::type_info *thrown, void **object, unsigned outer) const {
    if (*this == *thrown)
        return true;
    // A derived class converts to its base directly or behind one pointer, not behind two.
    if (outer >= 4)
        return false;
    return thrown->__do_upcast(this, object);
}

// These belong to the library's own way of searching and have a place in the tables, nothing else: the search is above.
bool __class_type_info::__do_upcast(const __class_type_info *, const void *, __upcast_result &) const { return false; }
bool __class_type_info::__do_dyncast(ptrdiff_t, __sub_kind, const __class_type_info *, const void *,
                                     const __class_type_info *, const void *, __dyncast_result &) const {
    return false;
}
__class_type_info::__sub_kind __class_type_info::__do_find_public_src(ptrdiff_t, const void *,
                                                                      const __class_type_info *, const void *) const {
    return __not_contained;
}
__si_class_type_info::~__si_class_type_info() {}
bool __si_class_type_info::__do_upcast(const __class_type_info *, const void *, __upcast_result &) const {
    return false;
}
bool __si_class_type_info::__do_dyncast(ptrdiff_t, __sub_kind, const __class_type_info *, const void *,
                                        const __class_type_info *, const void *, __dyncast_result &) const {
    return false;
}
__class_type_info::__sub_kind __si_class_type_info::__do_find_public_src(ptrdiff_t, const void *,
                                                                         const __class_type_info *,
                                                                         const void *) const {
    return __not_contained;
}
__vmi_class_type_info::~__vmi_class_type_info() {}
bool __vmi_class_type_info::__do_upcast(const __class_type_info *, const void *, __upcast_result &) const {
    return false;
}
bool __vmi_class_type_info::__do_dyncast(ptrdiff_t, __sub_kind, const __class_type_info *, const void *,
                                         const __class_type_info *, const void *, __dyncast_result &) const {
    return false;
}
__class_type_info::__sub_kind __vmi_class_type_info::__do_find_public_src(ptrdiff_t, const void *,
                                                                          const __class_type_info *,
                                                                          const void *) const {
    return __not_contained;
}

extern "C" void *__dynamic_cast(const void *source, const __class_type_info *source_type,
                                const __class_type_info *to, ptrdiff_t) {
    // In front of the functions, a table has the type and the way back to the start of the whole object.
    const void *const *vtable = *static_cast<const void *const *const *>(source);
    const char *whole = static_cast<const char *>(source) + reinterpret_cast<ptrdiff_t>(vtable[-2]);
    const __class_type_info *type = static_cast<const __class_type_info *>(vtable[-1]);

    Downcast down = {to, source_type, static_cast<const char *>(source), nullptr, false};
    find_derived(down, type, whole);
    if (down.found)
        return down.several ? nullptr : const_cast<char *>(down.found);

    Search here = {source_type, static_cast<const char *>(source), nullptr, false, false};
    search(here, type, whole, true, true);
    if (!here.found || !here.is_public)
        return nullptr;
    Search across = {to, nullptr, nullptr, false, false};
    search(across, type, whole, true, true);
    if (!across.found || across.several || !across.is_public)
        return nullptr;
    return const_cast<char *>(across.found);
}

} // namespace __cxxabiv1

// ---------------------------------------------------------------------------------------------------------
// Names of types, as far as they are simple

namespace {

/// Reads a mangled type into `out`; true when all of it was understood.
struct Names {
    const char *in;
    char *out;
    char *end;

    bool put(const char *text, size_t length) {
        if (size_t(end - out) <= length)
            return false;
        memcpy(out, text, length);
        out += length;
        *out = 0;
        return true;
    }
    bool put(const char *text) { return put(text, strlen(text)); }

    bool identifier() {
        size_t length = 0;
        if (*in < '0' || *in > '9')
            return false;
        while (*in >= '0' && *in <= '9')
            length = length * 10 + size_t(*in++ - '0');
        if (strnlen(in, length) < length)
            return false;
        const char *name = in;
        in += length;
        if (length >= 10 && memcmp(name, "_GLOBAL__N", 10) == 0)
            return put("(anonymous namespace)");
        return put(name, length);
    }

    bool name() {
        if (in[0] == 'S' && in[1] == 't') {
            in += 2;
            return put("std::") && identifier();
        }
        if (*in != 'N')
            return identifier();
        ++in;
        if (in[0] == 'S' && in[1] == 't') {
            in += 2;
            if (!put("std::"))
                return false;
        }
        for (bool first = true; *in != 'E'; first = false)
            if ((!first && !put("::")) || !identifier())
                return false;
        ++in;
        return true;
    }

    bool type() {
        static const struct {
            char letter;
            const char *text;
        } simple[] = {
            {'v', "void"},          {'b', "bool"},           {'c', "char"},          {'a', "signed char"},
            {'h', "unsigned char"}, {'s', "short"},          {'t', "unsigned short"}, {'i', "int"},
            {'j', "unsigned int"},  {'l', "long"},           {'m', "unsigned long"}, {'x', "long long"},
            {'w', "wchar_t"},       {'f', "float"},          {'d', "double"},        {'e', "long double"},
            {'n', "__int128"},      {'o', "unsigned __int128"}, {'y', "unsigned long long"},
        };
        if (*in == 'P' || *in == 'K') {
            const char *suffix = *in++ == 'P' ? "*" : " const";
            return type() && put(suffix);
        }
        if (in[0] == 'D' && in[1] == 'n') {
            in += 2;
            return put("decltype(nullptr)");
        }
        for (const auto &each : simple)
            if (each.letter == *in) {
                ++in;
                return put(each.text);
            }
        return name();
    }
};

bool demangle(const char *mangled, char *buffer, size_t size) {
    Names names = {mangled, buffer, buffer + size};
    return names.type() && *names.in == 0;
}

} // namespace

namespace __cxxabiv1 {

extern "C" char *__cxa_demangle(const char *mangled, char *output, size_t *length, int *status) {
    char buffer[512];
    int result = 0;
    if (!mangled || (output && !length))
        result = -3;
    else if (!demangle(mangled, buffer, sizeof buffer))
        result = -2;
    if (status)
        *status = result;
    if (result != 0)
        return nullptr;
    const size_t needed = strlen(buffer) + 1;
    if (!output || *length < needed) {
        output = static_cast<char *>(realloc(output, needed));
        if (!output) {
            if (status)
                *status = -1;
            return nullptr;
        }
        if (length)
            *length = needed;
    }
    memcpy(output, buffer, needed);
    return output;
}

} // namespace __cxxabiv1

// ---------------------------------------------------------------------------------------------------------
// Exceptions
//
// The machine unwinds: `__refrain_unwind` pops frames to the nearest landing pad that wants the exception, asks
// `__refrain_exception_matches` about each catch clause on the way, and calls `__refrain_terminate_uncaught` when
// none is left. The pointer in both, and the one that a landing pad yields, is that of `Header::unwind`.

extern "C" [[noreturn]] void __refrain_unwind(void *unwind_header);

namespace {

/// What the Itanium ABI lets all languages know of an exception.
struct alignas(16) UnwindHeader {
    uint64_t exception_class;
    void (*cleanup)(int reason, UnwindHeader *);
    uint64_t private_words[2];
};

/// "RFRNC++" and a zero.
const uint64_t our_class = 0x5246524e432b2b00;

/// In front of every thrown object.
struct Header {
    const std::type_info *type;
    void (*destructor)(void *);
    void *object;
    /// Itself, or the exception that this one throws again through a `std::exception_ptr`.
    Header *primary;
    long references;
    /// How many handlers are active; negative while it is thrown again out of one.
    long handlers;
    Header *next_caught;
    /// The object as the handler sees it.
    void *adjusted;
    UnwindHeader unwind;
};

struct Globals {
    Header *caught;
    unsigned uncaught;
};

__thread Globals globals;

Header *of_object(void *object) { return static_cast<Header *>(object) - 1; }

Header *of_unwind(void *unwind) {
    return reinterpret_cast<Header *>(static_cast<char *>(unwind) - offsetof(Header, unwind));
}

bool is_ours(const UnwindHeader *unwind) { return unwind->exception_class == our_class; }

void release(Header *header) {
    if (--header->references > 0)
        return;
    if (header->primary != header) {
        release(header->primary);
    } else if (header->destructor) {
        header->destructor(header->object);
    }
    free(header);
}

void clean_up(int, UnwindHeader *unwind) { release(of_unwind(unwind)); }

void prepare(Header *header, const std::type_info *type, void (*destructor)(void *)) {
    header->type = type;
    header->destructor = destructor;
    header->primary = header;
    header->references = 0;
    header->handlers = 0;
    header->next_caught = nullptr;
    header->adjusted = header->object;
    header->unwind.exception_class = our_class;
    header->unwind.cleanup = clean_up;
}

/// The exception as `wanted`: the pointer, or null when it is none.
bool matches(Header *header, const std::type_info *wanted, void **adjusted) {
    void *object = header->object;
    if (header->type->__is_pointer_p())
        object = *static_cast<void **>(object);
    if (!wanted->__do_catch(header->type, &object, 1))
        return false;
    *adjusted = object;
    return true;
}

std::terminate_handler the_terminate_handler = __gnu_cxx::__verbose_terminate_handler;

[[noreturn]] void terminate_by(std::terminate_handler handler) noexcept {
    handler();
    abort();
}

} // namespace

extern "C" int __refrain_exception_matches(void *unwind_header, const std::type_info *catch_type,
                                           void **adjusted_pointer) {
    UnwindHeader *unwind = static_cast<UnwindHeader *>(unwind_header);
    if (!is_ours(unwind))
        return catch_type == nullptr;
    Header *header = of_unwind(unwind);
    void *adjusted = header->object;
    if (catch_type && !matches(header, catch_type, &adjusted))
        return 0;
    header->adjusted = adjusted;
    if (adjusted_pointer)
        *adjusted_pointer = adjusted;
    return 1;
}

extern "C" [[noreturn]] void __refrain_terminate_uncaught(void *unwind_header) {
    abi::__cxa_begin_catch(unwind_header);
    std::terminate();
}

namespace __cxxabiv1 {

extern "C" {

void *__cxa_allocate_exception(size_t size) noexcept {
    Header *header = static_cast<Header *>(malloc(sizeof(Header) + size));
    if (!header)
        std::terminate();
    memset(static_cast<void *>(header), 0, sizeof(Header));
    header->object = header + 1;
    return header->object;
}

void __cxa_free_exception(void *object) noexcept { free(of_object(object)); }

__cxa_refcounted_exception *__cxa_init_primary_exception(void *object, std::type_info *type,
                                                         void (*destructor)(void *)) noexcept {
    prepare(of_object(object), type, destructor);
    return reinterpret_cast<__cxa_refcounted_exception *>(of_object(object));
}

void __cxa_throw(void *object, std::type_info *type, void (*destructor)(void *)) {
    Header *header = of_object(object);
    prepare(header, type, destructor);
    header->references = 1;
    ++globals.uncaught;
    __refrain_unwind(&header->unwind);
}

void *__cxa_get_exception_ptr(void *unwind) noexcept { return of_unwind(unwind)->adjusted; }

void *__cxa_begin_catch(void *unwind_header) noexcept {
    UnwindHeader *unwind = static_cast<UnwindHeader *>(unwind_header);
    Header *header = of_unwind(unwind);
    if (!is_ours(unwind)) {
        // Nothing is known in front of it, so that only one at a time can be kept.
        if (globals.caught)
            std::terminate();
        globals.caught = header;
        return nullptr;
    }
    header->handlers = (header->handlers < 0 ? -header->handlers : header->handlers) + 1;
    --globals.uncaught;
    if (globals.caught != header) {
        header->next_caught = globals.caught;
        globals.caught = header;
    }
    return header->adjusted;
}

void __cxa_end_catch() {
    Header *header = globals.caught;
    if (!header)
        return;
    if (!is_ours(&header->unwind)) {
        globals.caught = nullptr;
        if (header->unwind.cleanup)
            header->unwind.cleanup(1, &header->unwind);
        return;
    }
    if (header->handlers < 0) {
        // It is on its way out again, and somebody else's then.
        if (++header->handlers == 0)
            globals.caught = header->next_caught;
    } else if (--header->handlers == 0) {
        globals.caught = header->next_caught;
        release(header);
    }
}

void __cxa_rethrow() {
    Header *header = globals.caught;
    if (!header)
        std::terminate();
    if (is_ours(&header->unwind)) {
        header->handlers = -header->handlers;
        ++globals.uncaught;
    } else {
        globals.caught = nullptr;
    }
    __refrain_unwind(&header->unwind);
}

std::type_info *__cxa_current_exception_type() noexcept {
    Header *header = globals.caught;
    return header && is_ours(&header->unwind) ? const_cast<std::type_info *>(header->type) : nullptr;
}

__cxa_eh_globals *__cxa_get_globals() noexcept { return reinterpret_cast<__cxa_eh_globals *>(&globals); }
__cxa_eh_globals *__cxa_get_globals_fast() noexcept { return __cxa_get_globals(); }

[[noreturn]] void __cxa_call_unexpected(void *unwind) {
    __cxa_begin_catch(unwind);
    std::terminate();
}

[[noreturn]] void __cxa_call_terminate(void *unwind) noexcept {
    if (unwind)
        __cxa_begin_catch(unwind);
    std::terminate();
}

#ifndef REFRAIN_NATIVE_UNWINDER
// Programs name their personality and never call it: the machine knows landing pads itself.
int __gxx_personality_v0(...) { die("the personality of C++ was called\n"); }

[[noreturn]] void _Unwind_Resume(void *unwind) { __refrain_unwind(unwind); }
[[noreturn]] void _Unwind_Resume_or_Rethrow(void *unwind) { __refrain_unwind(unwind); }
[[noreturn]] void _Unwind_RaiseException(void *unwind) { __refrain_unwind(unwind); }
void _Unwind_DeleteException(void *unwind_header) {
    UnwindHeader *unwind = static_cast<UnwindHeader *>(unwind_header);
    if (unwind->cleanup)
        unwind->cleanup(1, unwind);
}
#endif

void __cxa_pure_virtual() {
    say("pure virtual method called\n");
    std::terminate();
}
void __cxa_deleted_virtual() {
    say("deleted virtual method called\n");
    std::terminate();
}
void __cxa_bad_cast() { throw std::bad_cast(); }
void __cxa_bad_typeid() { throw std::bad_typeid(); }
void __cxa_throw_bad_array_new_length() { throw std::bad_array_new_length(); }

// The first byte of a guard is set once the variable stands, the second while it is being initialised.
int __cxa_guard_acquire(__guard *guard) {
    char *bytes = reinterpret_cast<char *>(guard);
    if (bytes[0])
        return 0;
    if (bytes[1])
        throw __gnu_cxx::recursive_init_error();
    bytes[1] = 1;
    return 1;
}
void __cxa_guard_release(__guard *guard) noexcept {
    char *bytes = reinterpret_cast<char *>(guard);
    bytes[0] = 1;
    bytes[1] = 0;
}
void __cxa_guard_abort(__guard *guard) noexcept { reinterpret_cast<char *>(guard)[1] = 0; }

int __cxa_thread_atexit_impl(void (*)(void *), void *, void *);
int __cxa_thread_atexit(void (*destructor)(void *), void *object, void *dso) noexcept {
    return __cxa_thread_atexit_impl(destructor, object, dso);
}

} // extern "C"

__foreign_exception::~__foreign_exception() noexcept {}
__forced_unwind::~__forced_unwind() noexcept {}

} // namespace __cxxabiv1

namespace __gnu_cxx {

recursive_init_error::recursive_init_error() noexcept {}
recursive_init_error::~recursive_init_error() noexcept {}

void __verbose_terminate_handler() {
    static bool again;
    if (again)
        die("terminate called recursively\n");
    again = true;
    Header *header = globals.caught;
    if (!header || !is_ours(&header->unwind))
        die("terminate called without an active exception\n");
    const char *mangled = header->type->name();
    char name[512];
    say("terminate called after throwing an instance of '");
    say(demangle(mangled, name, sizeof name) ? name : mangled);
    say("'\n");
    void *object;
    if (matches(header, &typeid(std::exception), &object)) {
        say("  what():  ");
        say(static_cast<std::exception *>(object)->what());
        say("\n");
    }
    abort();
}

} // namespace __gnu_cxx

namespace std {

terminate_handler set_terminate(terminate_handler handler) noexcept {
    terminate_handler before = the_terminate_handler;
    the_terminate_handler = handler;
    return before;
}
terminate_handler get_terminate() noexcept { return the_terminate_handler; }
void terminate() noexcept { terminate_by(the_terminate_handler); }

bool uncaught_exception() noexcept { return globals.uncaught != 0; }
int uncaught_exceptions() noexcept { return int(globals.uncaught); }

namespace __exception_ptr {

exception_ptr::exception_ptr(void *object) noexcept : _M_exception_object(object) {
    if (object)
        _M_addref();
}
void exception_ptr::_M_addref() noexcept { ++of_object(_M_exception_object)->references; }
void exception_ptr::_M_release() noexcept {
    release(of_object(_M_exception_object));
    _M_exception_object = nullptr;
}
void *exception_ptr::_M_get() const noexcept { return _M_exception_object; }
const type_info *exception_ptr::__cxa_exception_type() const noexcept {
    return of_object(_M_exception_object)->type;
}

} // namespace __exception_ptr

exception_ptr current_exception() noexcept {
    Header *header = globals.caught;
    if (!header || !is_ours(&header->unwind))
        return exception_ptr();
    return exception_ptr(header->object);
}

void rethrow_exception(exception_ptr pointer) {
    Header *primary = of_object(pointer._M_get());
    void *object = abi::__cxa_allocate_exception(0);
    Header *header = of_object(object);
    header->object = primary->object;
    prepare(header, primary->type, nullptr);
    header->primary = primary;
    header->references = 1;
    ++primary->references;
    ++globals.uncaught;
    pointer = nullptr;
    __refrain_unwind(&header->unwind);
}

// ---------------------------------------------------------------------------------------------------------
// The library's exceptions

exception::~exception() noexcept {}
const char *exception::what() const noexcept { return "std::exception"; }
bad_exception::~bad_exception() noexcept {}
const char *bad_exception::what() const noexcept { return "std::bad_exception"; }
bad_alloc::~bad_alloc() noexcept {}
const char *bad_alloc::what() const noexcept { return "std::bad_alloc"; }
bad_array_new_length::~bad_array_new_length() noexcept {}
const char *bad_array_new_length::what() const noexcept { return "std::bad_array_new_length"; }
bad_cast::~bad_cast() noexcept {}
const char *bad_cast::what() const noexcept { return "std::bad_cast"; }
bad_typeid::~bad_typeid() noexcept {}
const char *bad_typeid::what() const noexcept { return "std::bad_typeid"; }
bad_function_call::~bad_function_call() noexcept {}
const char *bad_function_call::what() const noexcept { return "bad_function_call"; }
bad_weak_ptr::~bad_weak_ptr() noexcept {}
const char *bad_weak_ptr::what() const noexcept { return "bad_weak_ptr"; }
nested_exception::~nested_exception() noexcept {}
bool _Sp_make_shared_tag::_S_eq(const type_info &type) noexcept { return type == typeid(_Sp_make_shared_tag); }

#if _GLIBCXX_USE_CXX11_ABI

// The message of an exception: characters that copies share, behind their count.
namespace {

struct Text {
    size_t owners;
    char characters[1];
};

const char *new_text(const char *characters, size_t length) {
    Text *text = static_cast<Text *>(::operator new(sizeof(Text) + length));
    text->owners = 1;
    memcpy(text->characters, characters, length);
    text->characters[length] = 0;
    return text->characters;
}

Text *text_of(const char *characters) {
    return reinterpret_cast<Text *>(const_cast<char *>(characters) - offsetof(Text, characters));
}

const char *share(const char *characters) {
    if (characters)
        ++text_of(characters)->owners;
    return characters;
}

void drop(const char *characters) {
    if (characters && --text_of(characters)->owners == 0)
        ::operator delete(text_of(characters));
}

} // namespace

__cow_string::__cow_string() : _M_p(new_text("", 0)) {}
__cow_string::__cow_string(const string &text) : _M_p(new_text(text.data(), text.size())) {}
__cow_string::__cow_string(const char *text, size_t length) : _M_p(new_text(text, length)) {}
__cow_string::__cow_string(const __cow_string &other) noexcept : _M_p(share(other._M_p)) {}
__cow_string &__cow_string::operator=(const __cow_string &other) noexcept {
    const char *before = _M_p;
    _M_p = share(other._M_p);
    drop(before);
    return *this;
}
__cow_string::__cow_string(__cow_string &&other) noexcept : _M_p(share(other._M_p)) {}
__cow_string &__cow_string::operator=(__cow_string &&other) noexcept { return *this = other; }
__cow_string::~__cow_string() { drop(_M_p); }

#define REFRAIN_ROOT(name)                                                                                           \
    name::name(const string &text) : _M_msg(text) {}                                                                 \
    name::name(const char *text) : _M_msg(text, strlen(text)) {}                                                     \
    name::name(const name &other) noexcept : exception(other), _M_msg(other._M_msg) {}                               \
    name::name(name &&other) noexcept : exception(other), _M_msg(other._M_msg) {}                                    \
    name &name::operator=(const name &other) noexcept {                                                              \
        _M_msg = other._M_msg;                                                                                       \
        return *this;                                                                                                \
    }                                                                                                                \
    name &name::operator=(name &&other) noexcept {                                                                   \
        _M_msg = other._M_msg;                                                                                       \
        return *this;                                                                                                \
    }                                                                                                                \
    name::~name() noexcept {}                                                                                        \
    const char *name::what() const noexcept { return _M_msg._M_p; }

#define REFRAIN_DERIVED(name, base)                                                                                  \
    name::name(const string &text) : base(text) {}                                                                   \
    name::name(const char *text) : base(text) {}                                                                     \
    name::~name() noexcept {}

REFRAIN_ROOT(logic_error)
REFRAIN_DERIVED(domain_error, logic_error)
REFRAIN_DERIVED(invalid_argument, logic_error)
REFRAIN_DERIVED(length_error, logic_error)
REFRAIN_DERIVED(out_of_range, logic_error)
REFRAIN_ROOT(runtime_error)
REFRAIN_DERIVED(range_error, runtime_error)
REFRAIN_DERIVED(overflow_error, runtime_error)
REFRAIN_DERIVED(underflow_error, runtime_error)

// Error codes
error_category::~error_category() {}
__cow_string error_category::_M_message(int code) const { return __cow_string(message(code)); }
error_condition error_category::default_error_condition(int code) const noexcept {
    return error_condition(code, *this);
}
bool error_category::equivalent(int code, const error_condition &condition) const noexcept {
    return default_error_condition(code) == condition;
}
bool error_category::equivalent(const error_code &code, int condition) const noexcept {
    return *this == code.category() && code.value() == condition;
}
error_condition error_code::default_error_condition() const noexcept {
    return category().default_error_condition(value());
}
system_error::~system_error() noexcept {}

namespace {

struct ErrnoCategory : error_category {
    const char *the_name;
    explicit ErrnoCategory(const char *name) : the_name(name) {}
    const char *name() const noexcept override { return the_name; }
    string message(int code) const override { return string(strerror(code)); }
    error_condition default_error_condition(int code) const noexcept override {
        return error_condition(code, generic_category());
    }
};

} // namespace

inline namespace _V2 {

const error_category &generic_category() noexcept {
    static ErrnoCategory *category = new ErrnoCategory("generic");
    return *category;
}
const error_category &system_category() noexcept {
    static ErrnoCategory *category = new ErrnoCategory("system");
    return *category;
}

} // namespace _V2

void __throw_system_error(int code) { throw system_error(error_code(code, generic_category())); }

void __throw_logic_error(const char *text) { throw logic_error(text); }
void __throw_domain_error(const char *text) { throw domain_error(text); }
void __throw_invalid_argument(const char *text) { throw invalid_argument(text); }
void __throw_length_error(const char *text) { throw length_error(text); }
void __throw_out_of_range(const char *text) { throw out_of_range(text); }
void __throw_out_of_range_fmt(const char *format, ...) {
    char text[512];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    throw out_of_range(text);
}
void __throw_runtime_error(const char *text) { throw runtime_error(text); }
void __throw_range_error(const char *text) { throw range_error(text); }
void __throw_overflow_error(const char *text) { throw overflow_error(text); }
void __throw_underflow_error(const char *text) { throw underflow_error(text); }

#endif

void __throw_bad_exception() { throw bad_exception(); }
void __throw_bad_alloc() { throw bad_alloc(); }
void __throw_bad_array_new_length() { throw bad_array_new_length(); }
void __throw_bad_cast() { throw bad_cast(); }
void __throw_bad_typeid() { throw bad_typeid(); }
void __throw_bad_function_call() { throw bad_function_call(); }

[[noreturn]] void __glibcxx_assert_fail(const char *file, int line, const char *function,
                                        const char *condition) noexcept {
    char text[1024];
    if (file && function && condition) {
        snprintf(text, sizeof text, "%s:%d: %s: Assertion '%s' failed.\n", file, line, function, condition);
        say(text);
    }
    abort();
}

// ---------------------------------------------------------------------------------------------------------
// Balanced trees: the header's parent is the root, its children are the first and the last node

namespace {

using Node = _Rb_tree_node_base;

void rotate(Node *node, Node *&root, bool left) {
    Node *child = left ? node->_M_right : node->_M_left;
    Node *inner = left ? child->_M_left : child->_M_right;
    (left ? node->_M_right : node->_M_left) = inner;
    if (inner)
        inner->_M_parent = node;
    child->_M_parent = node->_M_parent;
    if (node == root)
        root = child;
    else if (node == node->_M_parent->_M_left)
        node->_M_parent->_M_left = child;
    else
        node->_M_parent->_M_right = child;
    (left ? child->_M_left : child->_M_right) = node;
    node->_M_parent = child;
}

bool is_black(const Node *node) { return !node || node->_M_color == _S_black; }

} // namespace

Node *_Rb_tree_increment(Node *node) noexcept {
    if (node->_M_right) {
        node = node->_M_right;
        while (node->_M_left)
            node = node->_M_left;
        return node;
    }
    Node *parent = node->_M_parent;
    while (node == parent->_M_right) {
        node = parent;
        parent = parent->_M_parent;
    }
    // From the last node of a tree whose root has no right child, the walk has gone once around the header.
    return node->_M_right != parent ? parent : node;
}
const Node *_Rb_tree_increment(const Node *node) noexcept { return _Rb_tree_increment(const_cast<Node *>(node)); }

Node *_Rb_tree_decrement(Node *node) noexcept {
    // The header alone is red and its own grandparent.
    if (node->_M_color == _S_red && node->_M_parent->_M_parent == node)
        return node->_M_right;
    if (node->_M_left) {
        node = node->_M_left;
        while (node->_M_right)
            node = node->_M_right;
        return node;
    }
    Node *parent = node->_M_parent;
    while (node == parent->_M_left) {
        node = parent;
        parent = parent->_M_parent;
    }
    return parent;
}
const Node *_Rb_tree_decrement(const Node *node) noexcept { return _Rb_tree_decrement(const_cast<Node *>(node)); }

void _Rb_tree_insert_and_rebalance(const bool at_left, Node *node, Node *parent, Node &header) noexcept {
    Node *&root = header._M_parent;
    node->_M_parent = parent;
    node->_M_left = node->_M_right = nullptr;
    node->_M_color = _S_red;
    if (at_left) {
        parent->_M_left = node; // the header's first node too, when the tree was empty
        if (parent == &header) {
            header._M_parent = header._M_right = node;
        } else if (parent == header._M_left) {
            header._M_left = node;
        }
    } else {
        parent->_M_right = node;
        if (parent == header._M_right)
            header._M_right = node;
    }
    while (node != root && node->_M_parent->_M_color == _S_red) {
        Node *above = node->_M_parent;
        Node *grand = above->_M_parent;
        const bool left = above == grand->_M_left;
        Node *uncle = left ? grand->_M_right : grand->_M_left;
        if (!is_black(uncle)) {
            above->_M_color = uncle->_M_color = _S_black;
            grand->_M_color = _S_red;
            node = grand;
            continue;
        }
        if (node == (left ? above->_M_right : above->_M_left)) {
            node = above;
            rotate(node, root, left);
            above = node->_M_parent;
        }
        above->_M_color = _S_black;
        grand->_M_color = _S_red;
        rotate(grand, root, !left);
    }
    root->_M_color = _S_black;
}

Node *_Rb_tree_rebalance_for_erase(Node *const out, Node &header) noexcept {
    Node *&root = header._M_parent;
    // `hole` takes the place of what leaves its place: `out` itself, or its successor, which then takes that of `out`.
    Node *hole;
    Node *above;
    _Rb_tree_color removed = out->_M_color;
    const auto replace = [&](Node *by) {
        if (root == out)
            root = by;
        else if (out->_M_parent->_M_left == out)
            out->_M_parent->_M_left = by;
        else
            out->_M_parent->_M_right = by;
    };
    if (out->_M_left && out->_M_right) {
        Node *next = out->_M_right;
        while (next->_M_left)
            next = next->_M_left;
        removed = next->_M_color;
        hole = next->_M_right;
        if (next == out->_M_right) {
            above = next;
        } else {
            above = next->_M_parent;
            above->_M_left = hole;
            if (hole)
                hole->_M_parent = above;
            next->_M_right = out->_M_right;
            next->_M_right->_M_parent = next;
        }
        next->_M_left = out->_M_left;
        next->_M_left->_M_parent = next;
        replace(next);
        next->_M_parent = out->_M_parent;
        next->_M_color = out->_M_color;
    } else {
        hole = out->_M_left ? out->_M_left : out->_M_right;
        above = out->_M_parent;
        if (hole)
            hole->_M_parent = above;
        replace(hole);
        if (header._M_left == out) {
            Node *first = hole ? hole : above;
            while (hole && first->_M_left)
                first = first->_M_left;
            header._M_left = first;
        }
        if (header._M_right == out) {
            Node *last = hole ? hole : above;
            while (hole && last->_M_right)
                last = last->_M_right;
            header._M_right = last;
        }
    }
    if (removed == _S_black) {
        while (hole != root && is_black(hole)) {
            const bool left = hole == above->_M_left;
            Node *sibling = left ? above->_M_right : above->_M_left;
            if (!is_black(sibling)) {
                sibling->_M_color = _S_black;
                above->_M_color = _S_red;
                rotate(above, root, left);
                sibling = left ? above->_M_right : above->_M_left;
            }
            Node *near = left ? sibling->_M_left : sibling->_M_right;
            Node *far = left ? sibling->_M_right : sibling->_M_left;
            if (is_black(near) && is_black(far)) {
                sibling->_M_color = _S_red;
                hole = above;
                above = above->_M_parent;
                continue;
            }
            if (is_black(far)) {
                near->_M_color = _S_black;
                sibling->_M_color = _S_red;
                rotate(sibling, root, !left);
                sibling = left ? above->_M_right : above->_M_left;
                far = left ? sibling->_M_right : sibling->_M_left;
            }
            sibling->_M_color = above->_M_color;
            above->_M_color = _S_black;
            far->_M_color = _S_black;
            rotate(above, root, left);
            break;
        }
        if (hole)
            hole->_M_color = _S_black;
    }
    return out;
}

// ---------------------------------------------------------------------------------------------------------
// Lists

namespace __detail {

void _List_node_base::_M_hook(_List_node_base *const position) noexcept {
    _M_next = position;
    _M_prev = position->_M_prev;
    position->_M_prev->_M_next = this;
    position->_M_prev = this;
}

void _List_node_base::_M_unhook() noexcept {
    _M_prev->_M_next = _M_next;
    _M_next->_M_prev = _M_prev;
}

void _List_node_base::_M_transfer(_List_node_base *const first, _List_node_base *const last) noexcept {
    if (this == last || first == last)
        return;
    _List_node_base *const end = last->_M_prev;
    first->_M_prev->_M_next = last;
    last->_M_prev = first->_M_prev;
    first->_M_prev = _M_prev;
    end->_M_next = this;
    _M_prev->_M_next = first;
    _M_prev = end;
}

void _List_node_base::_M_reverse() noexcept {
    _List_node_base *node = this;
    do {
        _List_node_base *next = node->_M_next;
        node->_M_next = node->_M_prev;
        node->_M_prev = next;
        node = next;
    } while (node != this);
}

void _List_node_base::swap(_List_node_base &a, _List_node_base &b) noexcept {
    const bool a_empty = a._M_next == &a;
    const bool b_empty = b._M_next == &b;
    const _List_node_base of_a = a;
    const _List_node_base of_b = b;
    a = b_empty ? _List_node_base{&a, &a} : of_b;
    b = a_empty ? _List_node_base{&b, &b} : of_a;
    a._M_next->_M_prev = a._M_prev->_M_next = &a;
    b._M_next->_M_prev = b._M_prev->_M_next = &b;
}

// ---------------------------------------------------------------------------------------------------------
// Hash tables: the numbers of buckets are those of the library, so that what is iterated over comes in its order

namespace {

const unsigned bucket_counts[] = {
    2, 3, 5, 7, 11, 13, 17, 19, 23, 29, 31, 37, 41, 43, 47, 53, 59, 61, 67, 71, 73, 79, 83, 89, 97, 103, 109, 113, 127,
    137, 139, 149, 157, 167, 179, 193, 199, 211, 227, 241, 257, 277, 293, 313, 337, 359, 383, 409, 439, 467, 503, 541,
    577, 619, 661, 709, 761, 823, 887, 953, 1031, 1109, 1193, 1289, 1381, 1493, 1613, 1741, 1879, 2029, 2179, 2357,
    2549, 2753, 2971, 3209, 3469, 3739, 4027, 4349, 4703, 5087, 5503, 5953, 6427, 6949, 7517, 8123, 8783, 9497, 10273,
    11113, 12011, 12983, 14033, 15173, 16411, 17749, 19183, 20753, 22447, 24281, 26267, 28411, 30727, 33223, 35933,
    38873, 42043, 45481, 49201, 53201, 57557, 62233, 67307, 72817, 78779, 85229, 92203, 99733, 107897, 116731, 126271,
    136607, 147793, 159871, 172933, 187091, 202409, 218971, 236897, 256279, 277261, 299951, 324503, 351061, 379787,
    410857, 444487, 480881, 520241, 562841, 608903, 658753, 712697, 771049, 834181, 902483, 976369, 1056323, 1142821,
    1236397, 1337629, 1447153, 1565659, 1693859, 1832561, 1982627, 2144977, 2320627, 2510653, 2716249, 2938679, 3179303,
    3439651, 3721303, 4026031, 4355707, 4712381, 5098259, 5515729, 5967347, 6456007, 6984629, 7556579, 8175383, 8844859,
    9569143, 10352717, 11200489, 12117689, 13109983, 14183539, 15345007, 16601593,
};

size_t as_size(double number) { return number >= double(size_t(-1)) ? size_t(-1) : size_t(number); }

} // namespace

size_t _Prime_rehash_policy::_M_next_bkt(size_t wanted) const {
    if (wanted == 0)
        return 1;
    // Beyond the list any odd number will do.
    size_t buckets = wanted | 1;
    for (unsigned count : bucket_counts)
        if (count >= wanted) {
            buckets = count;
            break;
        }
    _M_next_resize = as_size(double(buckets) * double(_M_max_load_factor));
    return buckets;
}

pair<bool, size_t> _Prime_rehash_policy::_M_need_rehash(size_t buckets, size_t elements, size_t more) const {
    size_t needed = elements + more;
    if (needed <= _M_next_resize)
        return {false, 0};
    if (_M_next_resize == 0 && needed < 11)
        needed = 11;
    const double least = double(needed) / double(_M_max_load_factor);
    if (least >= double(buckets)) {
        const size_t wanted = as_size(least) + 1;
        const size_t grown = buckets * _S_growth_factor;
        return {true, _M_next_bkt(wanted > grown ? wanted : grown)};
    }
    _M_next_resize = as_size(double(buckets) * double(_M_max_load_factor));
    return {false, 0};
}

} // namespace __detail

size_t _Hash_bytes(const void *data, size_t length, size_t seed) {
    const uint64_t factor = 0xc6a4a7935bd1e995;
    const unsigned char *bytes = static_cast<const unsigned char *>(data);
    uint64_t hash = seed ^ (length * factor);
    const auto mix = [](uint64_t word) { return word ^ (word >> 47); };
    size_t i = 0;
    for (; i + 8 <= length; i += 8) {
        uint64_t word;
        memcpy(&word, bytes + i, 8);
        hash = (hash ^ (mix(word * factor) * factor)) * factor;
    }
    if (i < length) {
        uint64_t word = 0;
        for (size_t j = length; j-- > i;)
            word = word << 8 | bytes[j];
        hash = (hash ^ word) * factor;
    }
    return mix(mix(hash) * factor);
}

size_t _Fnv_hash_bytes(const void *data, size_t length, size_t hash) {
    const unsigned char *bytes = static_cast<const unsigned char *>(data);
    for (size_t i = 0; i < length; ++i)
        hash = (hash ^ bytes[i]) * size_t(1099511628211u);
    return hash;
}

// ---------------------------------------------------------------------------------------------------------
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
