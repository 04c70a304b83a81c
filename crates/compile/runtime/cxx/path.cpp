// Paths: the text of one, and the components it is made of.

#include "common.h"

#include <filesystem>
#include <string_view>

namespace std {
namespace filesystem {

// ---------------------------------------------------------------------------------------------------------
// Components. The lower two bits of the pointer to them say what a path is that has none: a root or a file's name.

struct path::_List::_Impl {
    using value_type = _Cmpt;

    int count;
    int capacity;
    alignas(value_type) char place[sizeof(value_type)];

    value_type *begin() { return reinterpret_cast<value_type *>(place); }
    value_type *end() { return begin() + count; }

    static _Impl *make(int capacity) {
        const size_t size = sizeof(_Impl) + size_t(capacity) * sizeof(value_type);
        _Impl *made = static_cast<_Impl *>(::operator new(size));
        made->count = 0;
        made->capacity = capacity;
        return made;
    }
    void clear(int from) {
        while (count > from)
            (begin() + --count)->~value_type();
    }
    _Impl *copy() {
        _Impl *copied = make(count);
        for (const value_type &each : *this)
            new (copied->begin() + copied->count++) value_type(each);
        return copied;
    }
    static _Impl *of(const _Impl *tagged) {
        return reinterpret_cast<_Impl *>(reinterpret_cast<uintptr_t>(tagged) & ~uintptr_t(3));
    }
};

void path::_List::_Impl_deleter::operator()(_Impl *tagged) const noexcept {
    if (_Impl *impl = _Impl::of(tagged)) {
        impl->clear(0);
        ::operator delete(impl);
    }
}

path::_List::_List() : _M_impl(reinterpret_cast<_Impl *>(uintptr_t(_Type::_Filename))) {}
path::_List::_List(const _List &other) {
    _Impl *impl = _Impl::of(other._M_impl.get());
    if (impl && other.type() == _Type::_Multi)
        _M_impl.reset(impl->copy());
    else
        type(other.type());
}
path::_List &path::_List::operator=(const _List &other) {
    if (this != &other) {
        _List copied(other);
        swap(copied);
    }
    return *this;
}
void path::_List::type(_Type type) noexcept {
    _M_impl.reset(reinterpret_cast<_Impl *>(uintptr_t(type)));
}
int path::_List::size() const noexcept {
    _Impl *impl = _Impl::of(_M_impl.get());
    return impl ? impl->count : 0;
}
bool path::_List::empty() const noexcept { return size() == 0; }
void path::_List::clear() {
    if (_Impl *impl = _Impl::of(_M_impl.get()))
        impl->clear(0);
}
int path::_List::capacity() const noexcept {
    _Impl *impl = _Impl::of(_M_impl.get());
    return impl ? impl->capacity : 0;
}
void path::_List::reserve(int wanted, bool) {
    _Impl *impl = _Impl::of(_M_impl.get());
    if (impl && impl->capacity >= wanted)
        return;
    _Impl *made = _Impl::make(wanted);
    if (impl)
        for (const value_type &each : *impl)
            new (made->begin() + made->count++) value_type(each);
    _M_impl.reset(made);
}
path::_List::iterator path::_List::begin() noexcept { return _Impl::of(_M_impl.get())->begin(); }
path::_List::iterator path::_List::end() noexcept { return _Impl::of(_M_impl.get())->end(); }
path::_List::const_iterator path::_List::begin() const noexcept { return _Impl::of(_M_impl.get())->begin(); }
path::_List::const_iterator path::_List::end() const noexcept { return _Impl::of(_M_impl.get())->end(); }
path::_Cmpt &path::_List::front() noexcept { return *begin(); }
path::_Cmpt &path::_List::back() noexcept { return *(end() - 1); }
const path::_Cmpt &path::_List::front() const noexcept { return *begin(); }
const path::_Cmpt &path::_List::back() const noexcept { return *(end() - 1); }
void path::_List::pop_back() { _Impl::of(_M_impl.get())->clear(size() - 1); }
void path::_List::_M_erase_from(const_iterator at) { _Impl::of(_M_impl.get())->clear(int(at - begin())); }

/// A root directory and names, and an empty name after a separator at the end.
void path::_M_split_cmpts() {
    const string_view text = _M_pathname;
    const size_t first = text.find_first_not_of('/');
    if (text.empty() || text.find('/') == text.npos)
        return _M_cmpts.type(_Type::_Filename);
    if (first == text.npos)
        return _M_cmpts.type(_Type::_Root_dir);
    int count = 2;
    for (char c : text)
        count += c == '/';
    _List::_Impl *made = _List::_Impl::make(count);
    _M_cmpts._M_impl.reset(made);
    const auto add = [&](size_t start, size_t length, _Type type) {
        new (made->begin() + made->count) _Cmpt(text.substr(start, length), type, start);
        ++made->count;
    };
    if (first > 0)
        add(0, 1, _Type::_Root_dir);
    for (size_t at = first; at < text.size();) {
        const size_t end = min(text.find('/', at), text.size());
        add(at, end - at, _Type::_Filename);
        at = min(text.find_first_not_of('/', end), text.size());
        if (at == text.size() && end < text.size())
            add(at, 0, _Type::_Filename);
    }
}

// ---------------------------------------------------------------------------------------------------------
// Changing paths

path &path::operator=(const path &other) {
    if (this != &other) {
        _List components(other._M_cmpts);
        _M_pathname = other._M_pathname;
        _M_cmpts = std::move(components);
    }
    return *this;
}

path &path::operator/=(const path &other) {
    _M_append(other._M_pathname);
    return *this;
}

void path::_M_append(string_view other) {
    string_type text;
    if (other.empty() || other[0] != '/') {
        text = _M_pathname;
        if (!text.empty() && text.back() != '/')
            text += '/';
    }
    text += other;
    _M_pathname = std::move(text);
    _M_split_cmpts();
}

path &path::operator+=(const path &other) {
    _M_concat(other._M_pathname);
    return *this;
}

void path::_M_concat(string_view other) {
    string_type text = _M_pathname;
    text += other;
    _M_pathname = std::move(text);
    _M_split_cmpts();
}

path &path::remove_filename() {
    _M_pathname.erase(_M_pathname.rfind('/') + 1);
    _M_split_cmpts();
    return *this;
}

path &path::replace_filename(const path &name) {
    remove_filename();
    return *this /= name;
}

path &path::replace_extension(const path &extension) {
    const auto found = _M_find_extension();
    if (found.first && found.second != string_type::npos)
        _M_pathname.erase(_M_pathname.size() - (found.first->size() - found.second));
    if (!extension.empty() && extension._M_pathname[0] != '.')
        _M_pathname += '.';
    _M_pathname += extension._M_pathname;
    _M_split_cmpts();
    return *this;
}

path::string_type path::_S_convert_loc(const char *first, const char *last, const locale &) {
    return string_type(first, last);
}

// ---------------------------------------------------------------------------------------------------------
// Looking at paths. There are no root names.

bool path::has_root_name() const noexcept { return false; }
bool path::has_root_directory() const noexcept { return !_M_pathname.empty() && _M_pathname[0] == '/'; }
bool path::has_root_path() const noexcept { return has_root_directory(); }
bool path::has_relative_path() const noexcept { return _M_pathname.find_first_not_of('/') != string_type::npos; }
bool path::has_parent_path() const noexcept {
    return has_root_directory() || _M_pathname.find('/') != string_type::npos;
}
bool path::has_filename() const noexcept { return !_M_pathname.empty() && _M_pathname.back() != '/'; }

path path::root_name() const { return path(); }
path path::root_directory() const { return has_root_directory() ? path("/") : path(); }
path path::root_path() const { return root_directory(); }
path path::relative_path() const {
    const size_t start = _M_pathname.find_first_not_of('/');
    return start == string_type::npos ? path() : path(_M_pathname.substr(start));
}

path path::parent_path() const {
    if (!has_relative_path())
        return *this;
    const size_t last = _M_pathname.rfind('/');
    if (last == string_type::npos)
        return path();
    const size_t end = _M_pathname.find_last_not_of('/', last);
    return end == string_type::npos ? root_path() : path(_M_pathname.substr(0, end + 1));
}

pair<const string *, size_t> path::_M_find_extension() const noexcept {
    const string_type *name = nullptr;
    if (_M_type() == _Type::_Filename)
        name = &_M_pathname;
    else if (_M_type() == _Type::_Multi && !_M_cmpts.empty() && _M_cmpts.back()._M_type() == _Type::_Filename)
        name = &_M_cmpts.back()._M_pathname;
    if (!name || name->empty())
        return {nullptr, 0};
    if (*name == "." || *name == "..")
        return {name, string_type::npos};
    const size_t dot = name->rfind('.');
    return {name, dot == 0 ? string_type::npos : dot};
}

int path::compare(const path &other) const noexcept {
    if (has_root_directory() != other.has_root_directory())
        return has_root_directory() ? 1 : -1;
    iterator one = begin(), two = other.begin();
    const iterator one_end = end(), two_end = other.end();
    // Roots are equal, however they are written.
    if (has_root_directory())
        ++one, ++two;
    for (; one != one_end && two != two_end; ++one, ++two)
        if (const int difference = one->native().compare(two->native()))
            return difference;
    return int(one != one_end) - int(two != two_end);
}
int path::compare(string_view other) const noexcept { return compare(path(other)); }

_GLIBCXX_BEGIN_NAMESPACE_CXX11
size_t hash_value(const path &from) noexcept {
    size_t seed = 0;
    for (const path &each : from)
        seed ^= hash<string>()(each.native()) + 0x9e3779b9 + (seed << 6) + (seed >> 2);
    return seed;
}
_GLIBCXX_END_NAMESPACE_CXX11

path path::lexically_normal() const {
    if (!has_relative_path())
        return *this;
    path made;
    if (has_root_directory())
        made = "/";
    for (const path &each : relative_path()) {
        const string_type &name = each.native();
        if (name.empty() || name == ".") {
            // Only a separator stays of it.
            if (made.has_filename() && made.filename() != "..")
                made /= "";
            continue;
        }
        if (name != "..") {
            made /= each;
            continue;
        }
        if (made.has_relative_path()) {
            // The name before it goes, unless that is one like this.
            path before = made.has_filename() ? made : made.parent_path();
            if (before.filename() != "..") {
                made = before.remove_filename();
                continue;
            }
        } else if (made.has_root_directory()) {
            continue;
        }
        made /= each;
    }
    // Nothing stands behind the last `..`.
    if (!made.has_filename() && made.has_relative_path() && made.parent_path().filename() == "..")
        made = made.parent_path();
    return made.empty() ? path(".") : made;
}

path path::lexically_relative(const path &base) const {
    if (is_absolute() != base.is_absolute() || (!has_root_directory() && base.has_root_directory()))
        return path();
    auto one = begin();
    auto two = base.begin();
    const auto one_end = end();
    const auto two_end = base.end();
    while (one != one_end && two != two_end && *one == *two)
        ++one, ++two;
    if (one == one_end && two == two_end)
        return path(".");
    int up = 0;
    for (; two != two_end; ++two) {
        if (*two == "..")
            --up;
        else if (!two->empty() && *two != ".")
            ++up;
    }
    if (up < 0)
        return path();
    if (up == 0 && (one == one_end || one->empty()))
        return path(".");
    path made;
    for (; up > 0; --up)
        made /= "..";
    for (; one != one_end; ++one)
        made /= *one;
    return made;
}

path path::lexically_proximate(const path &base) const {
    path made = lexically_relative(base);
    return made.empty() ? *this : made;
}

// ---------------------------------------------------------------------------------------------------------
// Errors

struct filesystem_error::_Impl {
    path one, two;
    string text;

    _Impl(const char *what, const path *one, const path *two) : text("filesystem error: ") {
        text += what;
        for (const path *each : {one, two})
            if (each)
                text += " [" + each->native() + "]";
        if (one)
            this->one = *one;
        if (two)
            this->two = *two;
    }
};

filesystem_error::filesystem_error(const string &what, error_code code)
    : system_error(code, what),
      _M_impl(std::__make_shared<_Impl>(system_error::what(), static_cast<const path *>(nullptr),
                                        static_cast<const path *>(nullptr))) {}
filesystem_error::filesystem_error(const string &what, const path &one, error_code code)
    : system_error(code, what),
      _M_impl(std::__make_shared<_Impl>(system_error::what(), &one, static_cast<const path *>(nullptr))) {}
filesystem_error::filesystem_error(const string &what, const path &one, const path &two, error_code code)
    : system_error(code, what), _M_impl(std::__make_shared<_Impl>(system_error::what(), &one, &two)) {}
filesystem_error::~filesystem_error() = default;
const path &filesystem_error::path1() const noexcept { return _M_impl->one; }
const path &filesystem_error::path2() const noexcept { return _M_impl->two; }
const char *filesystem_error::what() const noexcept { return _M_impl->text.c_str(); }

} // namespace filesystem

template class __shared_ptr<const filesystem::filesystem_error::_Impl>;

} // namespace std
