// The library's exceptions, and error codes.

namespace std {

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

} // namespace std
