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

} // namespace std
