// Streams: what their headers leave to the library. `ios_base`, the standard streams over the C library's, and files
// over its descriptors. The wide standard streams are in wide.cpp.

#include "common.h"

#include <bits/cxxabi_forced.h>
#include <cxxabi.h>
#include <errno.h>
#include <ext/stdio_filebuf.h>
#include <ext/stdio_sync_filebuf.h>
#include <fstream>
#include <istream>
#include <ostream>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

// ---------------------------------------------------------------------------------------------------------
// Errors

namespace std {

namespace {

struct StreamCategory final : error_category {
    const char *name() const noexcept override { return "iostream"; }
    string message(int code) const override {
        return code == int(io_errc::stream) ? "iostream error" : "Unknown error";
    }
};

} // namespace

const error_category &iostream_category() noexcept {
    static StreamCategory *category = new StreamCategory;
    return *category;
}

ios_base::failure::failure(const string &text) : system_error(io_errc::stream, text) {}
ios_base::failure::failure(const string &text, const error_code &code) : system_error(code, text) {}
ios_base::failure::failure(const char *text, const error_code &code) : system_error(code, text) {}
ios_base::failure::~failure() {}
const char *ios_base::failure::what() const noexcept { return runtime_error::what(); }

/// What streams throw: a name that reports show.
struct __ios_failure : ios_base::failure {
    using failure::failure;
};

void __throw_ios_failure(const char *text) { throw __ios_failure(text); }
void __throw_ios_failure(const char *text, int code) {
    if (code == 0)
        throw __ios_failure(text);
    throw __ios_failure(text, error_code(code, generic_category()));
}

} // namespace std

// ---------------------------------------------------------------------------------------------------------
// ios_base

namespace std {

const ios_base::fmtflags ios_base::boolalpha;
const ios_base::fmtflags ios_base::dec;
const ios_base::fmtflags ios_base::fixed;
const ios_base::fmtflags ios_base::hex;
const ios_base::fmtflags ios_base::internal;
const ios_base::fmtflags ios_base::left;
const ios_base::fmtflags ios_base::oct;
const ios_base::fmtflags ios_base::right;
const ios_base::fmtflags ios_base::scientific;
const ios_base::fmtflags ios_base::showbase;
const ios_base::fmtflags ios_base::showpoint;
const ios_base::fmtflags ios_base::showpos;
const ios_base::fmtflags ios_base::skipws;
const ios_base::fmtflags ios_base::unitbuf;
const ios_base::fmtflags ios_base::uppercase;
const ios_base::fmtflags ios_base::adjustfield;
const ios_base::fmtflags ios_base::basefield;
const ios_base::fmtflags ios_base::floatfield;
const ios_base::iostate ios_base::badbit;
const ios_base::iostate ios_base::eofbit;
const ios_base::iostate ios_base::failbit;
const ios_base::iostate ios_base::goodbit;
const ios_base::openmode ios_base::app;
const ios_base::openmode ios_base::ate;
const ios_base::openmode ios_base::binary;
const ios_base::openmode ios_base::in;
const ios_base::openmode ios_base::out;
const ios_base::openmode ios_base::trunc;
const ios_base::seekdir ios_base::beg;
const ios_base::seekdir ios_base::cur;
const ios_base::seekdir ios_base::end;

ios_base::ios_base() noexcept
    : _M_precision(), _M_width(), _M_flags(), _M_exception(), _M_streambuf_state(), _M_callbacks(nullptr),
      _M_word_zero(), _M_word_size(_S_local_word_size), _M_word(_M_local_word) {}

ios_base::~ios_base() {
    _M_call_callbacks(erase_event);
    _M_dispose_callbacks();
    if (_M_word != _M_local_word)
        delete[] _M_word;
}

void ios_base::_M_init() noexcept {
    _M_precision = 6;
    _M_width = 0;
    _M_flags = skipws | dec;
    _M_ios_locale = locale();
}

locale ios_base::imbue(const locale &next) noexcept {
    const locale before = _M_ios_locale;
    _M_ios_locale = next;
    _M_call_callbacks(imbue_event);
    return before;
}

void ios_base::register_callback(event_callback function, int index) {
    _M_callbacks = new _Callback_list(function, index, _M_callbacks);
}

void ios_base::_M_call_callbacks(event what) noexcept {
    for (_Callback_list *at = _M_callbacks; at; at = at->_M_next) {
        try {
            at->_M_fn(what, *this, at->_M_index);
        } catch (...) {
        }
    }
}

void ios_base::_M_dispose_callbacks() noexcept {
    // Copies of a stream's format share the end of its list.
    _Callback_list *at = _M_callbacks;
    while (at && at->_M_remove_reference() == 0) {
        _Callback_list *next = at->_M_next;
        delete at;
        at = next;
    }
    _M_callbacks = nullptr;
}

int ios_base::xalloc() noexcept {
    static int last = 4;
    return last++;
}

ios_base::_Words &ios_base::_M_grow_words(int index, bool is_integer) {
    const auto refuse = [&]() -> _Words & {
        _M_streambuf_state |= badbit;
        if (_M_streambuf_state & _M_exception)
            __throw_ios_failure("ios_base::_M_grow_words allocation failed");
        if (is_integer)
            _M_word_zero._M_iword = 0;
        else
            _M_word_zero._M_pword = nullptr;
        return _M_word_zero;
    };
    if (index < 0 || index == __INT_MAX__)
        return refuse();
    _Words *words = new (nothrow) _Words[index + 1];
    if (!words)
        return refuse();
    for (int i = 0; i < _M_word_size; ++i)
        words[i] = _M_word[i];
    if (_M_word != _M_local_word)
        delete[] _M_word;
    _M_word = words;
    _M_word_size = index + 1;
    return _M_word[index];
}

void ios_base::_M_move(ios_base &other) noexcept {
    _M_precision = other._M_precision;
    _M_width = other._M_width;
    _M_flags = other._M_flags;
    _M_exception = other._M_exception;
    _M_streambuf_state = other._M_streambuf_state;
    _M_dispose_callbacks();
    _M_callbacks = other._M_callbacks;
    other._M_callbacks = nullptr;
    if (_M_word != _M_local_word)
        delete[] _M_word;
    if (other._M_word == other._M_local_word) {
        _M_word = _M_local_word;
        _M_word_size = _S_local_word_size;
        for (int i = 0; i < _S_local_word_size; ++i) {
            _M_local_word[i] = other._M_local_word[i];
            other._M_local_word[i] = _Words();
        }
    } else {
        _M_word = other._M_word;
        _M_word_size = other._M_word_size;
        other._M_word = other._M_local_word;
        other._M_word_size = _S_local_word_size;
    }
    _M_ios_locale = other._M_ios_locale;
}

void ios_base::_M_swap(ios_base &other) noexcept {
    std::swap(_M_precision, other._M_precision);
    std::swap(_M_width, other._M_width);
    std::swap(_M_flags, other._M_flags);
    std::swap(_M_exception, other._M_exception);
    std::swap(_M_streambuf_state, other._M_streambuf_state);
    std::swap(_M_callbacks, other._M_callbacks);
    const bool is_local = _M_word == _M_local_word, other_is_local = other._M_word == other._M_local_word;
    for (int i = 0; i < _S_local_word_size; ++i)
        std::swap(_M_local_word[i], other._M_local_word[i]);
    std::swap(_M_word, other._M_word);
    std::swap(_M_word_size, other._M_word_size);
    if (other_is_local)
        _M_word = _M_local_word;
    if (is_local)
        other._M_word = other._M_local_word;
    std::swap(_M_ios_locale, other._M_ios_locale);
}

} // namespace std

// ---------------------------------------------------------------------------------------------------------
// Files: the C library opens and closes them, its descriptors are read and written

namespace std {

namespace {

const char *mode_of(ios_base::openmode mode) {
    typedef ios_base is;
    const unsigned in = is::in, out = is::out, app = is::app, trunc = is::trunc;
    const bool binary = mode & is::binary;
    switch (unsigned(mode) & (in | out | app | trunc)) {
    case is::out:
    case is::out | is::trunc:
        return binary ? "wb" : "w";
    case is::app:
    case is::out | is::app:
        return binary ? "ab" : "a";
    case is::in:
        return binary ? "rb" : "r";
    case is::in | is::out:
        return binary ? "r+b" : "r+";
    case is::in | is::out | is::trunc:
        return binary ? "w+b" : "w+";
    case is::in | is::app:
    case is::in | is::out | is::app:
        return binary ? "a+b" : "a+";
    default:
        return nullptr;
    }
}

const char *mode_of_new_file(ios_base::openmode mode) {
#if _GLIBCXX_RELEASE >= 12
    if (mode & ios_base::__noreplace) {
        const bool reads = mode & ios_base::in, binary = mode & ios_base::binary;
        return reads ? (binary ? "w+bx" : "w+x") : (binary ? "wbx" : "wx");
    }
#endif
    return mode_of(mode);
}

/// Writes all of it, as far as that goes.
streamsize write_all(int descriptor, const char *text, streamsize length) {
    streamsize done = 0;
    while (done < length) {
        const ssize_t written = write(descriptor, text + done, size_t(length - done));
        if (written < 0 && errno == EINTR)
            continue;
        if (written < 0)
            break;
        done += written;
    }
    return done;
}

} // namespace

__basic_file<char>::__basic_file(__c_lock *) noexcept : _M_cfile(nullptr), _M_cfile_created(false) {}
__basic_file<char>::~__basic_file() { close(); }

__basic_file<char> *__basic_file<char>::open(const char *name, ios_base::openmode mode, int) {
    const char *how = mode_of_new_file(mode);
    if (!how || is_open())
        return nullptr;
    _M_cfile = fopen(name, how);
    _M_cfile_created = _M_cfile;
    return _M_cfile ? this : nullptr;
}

__basic_file<char> *__basic_file<char>::sys_open(__c_file *file, ios_base::openmode) {
    if (is_open() || !file)
        return nullptr;
    // From here on the descriptor is used, past what the C library has kept back.
    const int before = errno;
    if (fflush(file) != 0)
        return nullptr;
    errno = before;
    _M_cfile = file;
    _M_cfile_created = false;
    return this;
}

__basic_file<char> *__basic_file<char>::sys_open(int descriptor, ios_base::openmode mode) noexcept {
    const char *how = mode_of(mode);
    if (!how || is_open())
        return nullptr;
    _M_cfile = fdopen(descriptor, how);
    _M_cfile_created = _M_cfile;
    if (_M_cfile && descriptor == 0)
        setvbuf(_M_cfile, nullptr, _IONBF, 0);
    return _M_cfile ? this : nullptr;
}

__basic_file<char> *__basic_file<char>::close() {
    if (!is_open())
        return nullptr;
    const int failed = _M_cfile_created ? fclose(_M_cfile) : 0;
    _M_cfile = nullptr;
    return failed ? nullptr : this;
}

bool __basic_file<char>::is_open() const noexcept { return _M_cfile != nullptr; }
int __basic_file<char>::fd() noexcept { return fileno(_M_cfile); }
__c_file *__basic_file<char>::file() noexcept { return _M_cfile; }

streamsize __basic_file<char>::xsgetn(char *to, streamsize length) {
    ssize_t count;
    do
        count = read(fd(), to, size_t(length));
    while (count < 0 && errno == EINTR);
    if (count < 0)
        __throw_ios_failure("basic_filebuf::underflow error reading the file", errno);
    return count;
}
streamsize __basic_file<char>::xsputn(const char *text, streamsize length) { return write_all(fd(), text, length); }
streamsize __basic_file<char>::xsputn_2(const char *one, streamsize one_length, const char *two,
                                        streamsize two_length) {
    const streamsize done = write_all(fd(), one, one_length);
    return done < one_length ? done : done + write_all(fd(), two, two_length);
}
streamoff __basic_file<char>::seekoff(streamoff offset, ios_base::seekdir from) noexcept {
    return lseek(fd(), offset, from);
}
int __basic_file<char>::sync() { return fflush(_M_cfile); }
streamsize __basic_file<char>::showmanyc() {
    // Of a regular file it is known how much is left.
    struct stat status;
    if (fstat(fd(), &status) != 0 || !S_ISREG(status.st_mode))
        return 0;
    return status.st_size - lseek(fd(), 0, SEEK_CUR);
}

} // namespace std

// ---------------------------------------------------------------------------------------------------------
// Reading text

#define REFRAIN_CHAR char
#include "extraction.h"

namespace std {

namespace {

/// Reads the next word, at most so many characters, into what takes them one by one.
template <class Word> void extract_word(istream &from, streamsize most, Word &word) {
    ios_base::iostate state = ios_base::goodbit;
    bool any = false;
    extract(from, false, state, [&](streambuf *buffer) {
        const ctype<char> &kinds = use_facet<ctype<char>>(from.getloc());
        word.begin();
        Traits::int_type c = buffer->sgetc();
        for (streamsize count = 0; count < most && !is_end(c) && !kinds.is(ctype_base::space, Traits::to_char_type(c));
             ++count) {
            word.put(Traits::to_char_type(c));
            any = true;
            c = buffer->snextc();
        }
        if (is_end(c))
            state |= ios_base::eofbit;
        word.end();
        from.width(0);
    });
    if (!any)
        state |= ios_base::failbit;
    if (state)
        from.setstate(state);
}

struct StringWord {
    string &text;
    void begin() { text.erase(); }
    void put(char c) { text += c; }
    void end() {}
};

struct ArrayWord {
    char *to;
    void begin() {}
    void put(char c) { *to++ = c; }
    void end() { *to = 0; }
};

} // namespace

template <> istream &operator>>(istream &from, string &text) {
    const streamsize width = from.width();
    StringWord word = {text};
    extract_word(from, width > 0 ? width : streamsize(text.max_size()), word);
    return from;
}

void __istream_extract(istream &from, char *to, streamsize room) {
    const streamsize width = from.width();
    ArrayWord word = {to};
    extract_word(from, (width > 0 && width < room ? width : room) - 1, word);
}

} // namespace std

// ---------------------------------------------------------------------------------------------------------
// The standard streams. Their places are reserved here; they stand once the first `ios_base::Init` has run, and are
// never destroyed.

#define REFRAIN_PLACE(type, name, symbol)                                                                            \
    extern char name[sizeof(type)] __asm__(symbol);                                                                  \
    alignas(type) char name[sizeof(type)];

REFRAIN_PLACE(std::ostream, refrain_cout, "_ZSt4cout")
REFRAIN_PLACE(std::istream, refrain_cin, "_ZSt3cin")
REFRAIN_PLACE(std::ostream, refrain_cerr, "_ZSt4cerr")
REFRAIN_PLACE(std::ostream, refrain_clog, "_ZSt4clog")

/// The wide ones, if the program has them: what is to happen to them (0 make, 1 without stdio, 2 flush).
extern "C" __attribute__((weak)) void __refrain_wide_streams(int what);

namespace std {

_Atomic_word ios_base::Init::_S_refcount;
bool ios_base::Init::_S_synced_with_stdio = true;

namespace {

template <class T> T &at(char *place) { return *reinterpret_cast<T *>(place); }

typedef __gnu_cxx::stdio_sync_filebuf<char> Synced;
typedef __gnu_cxx::stdio_filebuf<char> Buffered;

alignas(Synced) char synced_out[sizeof(Synced)], synced_in[sizeof(Synced)], synced_error[sizeof(Synced)];
alignas(Buffered) char buffered_out[sizeof(Buffered)], buffered_in[sizeof(Buffered)], buffered_error[sizeof(Buffered)];

} // namespace

ios_base::Init::Init() {
    if (_S_refcount++ != 0)
        return;
    new (synced_out) Synced(stdout);
    new (synced_in) Synced(stdin);
    new (synced_error) Synced(stderr);
    new (refrain_cout) ostream(&at<Synced>(synced_out));
    new (refrain_cin) istream(&at<Synced>(synced_in));
    new (refrain_cerr) ostream(&at<Synced>(synced_error));
    new (refrain_clog) ostream(&at<Synced>(synced_error));
    ostream &cout = at<ostream>(refrain_cout);
    at<istream>(refrain_cin).tie(&cout);
    at<ostream>(refrain_cerr).setf(unitbuf);
    at<ostream>(refrain_cerr).tie(&cout);
    if (__refrain_wide_streams)
        __refrain_wide_streams(0);
    // One more than there are, so that the last one of the program finds two.
    ++_S_refcount;
}

ios_base::Init::~Init() {
    if (_S_refcount-- != 2)
        return;
    --_S_refcount;
    try {
        at<ostream>(refrain_cout).flush();
        at<ostream>(refrain_cerr).flush();
        at<ostream>(refrain_clog).flush();
        if (__refrain_wide_streams)
            __refrain_wide_streams(2);
    } catch (...) {
    }
}

bool ios_base::sync_with_stdio(bool sync) {
    const bool before = Init::_S_synced_with_stdio;
    if (sync || !before)
        return before;
    Init init;
    Init::_S_synced_with_stdio = false;
    new (buffered_out) Buffered(stdout, ios_base::out);
    new (buffered_in) Buffered(stdin, ios_base::in);
    new (buffered_error) Buffered(stderr, ios_base::out);
    at<ostream>(refrain_cout).rdbuf(&at<Buffered>(buffered_out));
    at<istream>(refrain_cin).rdbuf(&at<Buffered>(buffered_in));
    at<ostream>(refrain_cerr).rdbuf(&at<Buffered>(buffered_error));
    at<ostream>(refrain_clog).rdbuf(&at<Buffered>(buffered_error));
    if (__refrain_wide_streams)
        __refrain_wide_streams(1);
    return before;
}

namespace {

// Before all constructors of the program: newer headers leave it to the library to make the streams.
struct Standing {
    ios_base::Init init;
};
__attribute__((init_priority(101))) Standing standing;

} // namespace

} // namespace std
