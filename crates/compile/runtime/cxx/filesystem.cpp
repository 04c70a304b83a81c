// Files and directories by their paths, on the C library.

#include "common.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <filesystem>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <time.h>
#include <unistd.h>
#include <utility>
#include <vector>

namespace std {
namespace filesystem {

namespace {

typedef struct ::stat Stat;

void set(error_code &code, int number) { code.assign(number, generic_category()); }
void set_last(error_code &code) { set(code, errno); }

bool is_missing(int number) { return number == ENOENT || number == ENOTDIR; }

/// The result of what was tried, or an error that names it.
void check(const error_code &code, const char *what, const path &one) {
    if (code)
        throw filesystem_error(what, one, code);
}
void check(const error_code &code, const char *what, const path &one, const path &two) {
    if (code)
        throw filesystem_error(what, one, two, code);
}

file_type type_of(mode_t mode) {
    switch (mode & S_IFMT) {
    case S_IFREG:
        return file_type::regular;
    case S_IFDIR:
        return file_type::directory;
    case S_IFCHR:
        return file_type::character;
    case S_IFBLK:
        return file_type::block;
    case S_IFIFO:
        return file_type::fifo;
    case S_IFLNK:
        return file_type::symlink;
    case S_IFSOCK:
        return file_type::socket;
    default:
        return file_type::unknown;
    }
}

file_status status_of(const path &at, error_code &code, bool follow) noexcept {
    Stat found;
    if ((follow ? ::stat(at.c_str(), &found) : ::lstat(at.c_str(), &found)) == 0) {
        code.clear();
        return file_status(type_of(found.st_mode), static_cast<perms>(found.st_mode) & perms::mask);
    }
    const int number = errno;
    set(code, number);
    if (is_missing(number))
        return file_status(file_type::not_found);
    if (number == EOVERFLOW)
        return file_status(file_type::unknown);
    return file_status();
}

/// Of an existing file.
bool look(const path &at, error_code &code, Stat &found) {
    if (::stat(at.c_str(), &found) == 0) {
        code.clear();
        return true;
    }
    set_last(code);
    return false;
}

file_time_type time_of(const Stat &found) {
    const auto since = chrono::seconds(found.st_mtim.tv_sec) + chrono::nanoseconds(found.st_mtim.tv_nsec);
    // The file clock starts in 2174.
    return file_time_type(since - chrono::seconds(6437664000));
}

bool has(copy_options all, copy_options one) { return (all & one) != copy_options::none; }
bool has(perm_options all, perm_options one) { return (all & one) != perm_options(0); }

} // namespace

file_status status(const path &at) {
    error_code code;
    const file_status result = status(at, code);
    if (result.type() == file_type::none)
        throw filesystem_error("status", at, code);
    return result;
}
file_status status(const path &at, error_code &code) noexcept { return status_of(at, code, true); }
file_status symlink_status(const path &at) {
    error_code code;
    const file_status result = symlink_status(at, code);
    if (result.type() == file_type::none)
        throw filesystem_error("symlink_status", at, code);
    return result;
}
file_status symlink_status(const path &at, error_code &code) noexcept { return status_of(at, code, false); }

// ---------------------------------------------------------------------------------------------------------
// Directories

_GLIBCXX_BEGIN_NAMESPACE_CXX11

struct _Dir {
    DIR *stream;
    path place;
    directory_entry entry;

    _Dir(DIR *stream, const path &place) : stream(stream), place(place) {}
    _Dir(_Dir &&other) : stream(other.stream), place(std::move(other.place)), entry(std::move(other.entry)) {
        other.stream = nullptr;
    }
    _Dir &operator=(_Dir &&) = delete;
    ~_Dir() {
        if (stream)
            closedir(stream);
    }

    static DIR *open(const path &at, directory_options options, error_code &code) {
        code.clear();
        DIR *stream = opendir(at.c_str());
        const bool skips = (options & directory_options::skip_permission_denied) != directory_options::none;
        if (!stream && !(errno == EACCES && skips))
            set_last(code);
        return stream;
    }

    /// To the next entry; whether there is one.
    bool advance(error_code &code) {
        code.clear();
        for (;;) {
            errno = 0;
            const dirent *next = readdir(stream);
            if (!next) {
                if (errno)
                    set_last(code);
                entry = directory_entry();
                return false;
            }
            if (strcmp(next->d_name, ".") == 0 || strcmp(next->d_name, "..") == 0)
                continue;
            file_type type = file_type::none;
            if (next->d_type != DT_UNKNOWN)
                type = type_of(DTTOIF(next->d_type));
            entry = directory_entry(place / next->d_name, type);
            return true;
        }
    }

    bool is_directory(bool follow) const {
        error_code code;
        const file_type type = entry._M_type;
        if (type == file_type::directory)
            return true;
        if (type == file_type::none)
            return (follow ? entry.status(code) : entry.symlink_status(code)).type() == file_type::directory;
        return follow && type == file_type::symlink && entry.status(code).type() == file_type::directory;
    }
};

_GLIBCXX_END_NAMESPACE_CXX11

directory_iterator::directory_iterator(const path &at, directory_options options, error_code *code) {
    error_code found;
    if (DIR *stream = _Dir::open(at, options, found)) {
        auto opened = std::__make_shared<_Dir>(stream, at);
        if (opened->advance(found))
            _M_dir = std::move(opened);
    }
    if (code)
        *code = found;
    else
        check(found, "directory iterator cannot open directory", at);
}
const directory_entry &directory_iterator::operator*() const noexcept { return _M_dir->entry; }
directory_iterator &directory_iterator::operator++() {
    error_code code;
    increment(code);
    if (code)
        throw filesystem_error("directory iterator cannot advance", code);
    return *this;
}
directory_iterator &directory_iterator::increment(error_code &code) {
    if (!_M_dir)
        set(code, EINVAL);
    else if (!_M_dir->advance(code))
        _M_dir.reset();
    return *this;
}

struct recursive_directory_iterator::_Dir_stack {
    vector<_Dir> open;
    directory_options options;
    bool pending = true;
};

recursive_directory_iterator::recursive_directory_iterator(const path &at, directory_options options,
                                                           error_code *code) {
    error_code found;
    if (DIR *stream = _Dir::open(at, options, found)) {
        auto stack = std::__make_shared<_Dir_stack>();
        stack->options = options;
        stack->open.emplace_back(stream, at);
        if (stack->open.back().advance(found))
            _M_dirs = std::move(stack);
    }
    if (code)
        *code = found;
    else
        check(found, "recursive directory iterator cannot open directory", at);
}
recursive_directory_iterator::~recursive_directory_iterator() = default;
directory_options recursive_directory_iterator::options() const noexcept { return _M_dirs->options; }
int recursive_directory_iterator::depth() const noexcept { return int(_M_dirs->open.size()) - 1; }
bool recursive_directory_iterator::recursion_pending() const noexcept { return _M_dirs->pending; }
void recursive_directory_iterator::disable_recursion_pending() noexcept { _M_dirs->pending = false; }
const directory_entry &recursive_directory_iterator::operator*() const noexcept { return _M_dirs->open.back().entry; }
recursive_directory_iterator &
recursive_directory_iterator::operator=(const recursive_directory_iterator &other) noexcept = default;
recursive_directory_iterator &
recursive_directory_iterator::operator=(recursive_directory_iterator &&other) noexcept = default;
recursive_directory_iterator &recursive_directory_iterator::operator++() {
    error_code code;
    increment(code);
    if (code)
        throw filesystem_error("cannot increment recursive directory iterator", code);
    return *this;
}
recursive_directory_iterator &recursive_directory_iterator::increment(error_code &code) {
    if (!_M_dirs) {
        set(code, EINVAL);
        return *this;
    }
    code.clear();
    _Dir_stack &stack = *_M_dirs;
    const bool enters = std::exchange(stack.pending, true);
    const bool follows =
        (stack.options & directory_options::follow_directory_symlink) != directory_options::none;
    if (enters && stack.open.back().is_directory(follows)) {
        const path inside = stack.open.back().entry.path();
        if (DIR *stream = _Dir::open(inside, stack.options, code))
            stack.open.emplace_back(stream, inside);
        if (code) {
            _M_dirs.reset();
            return *this;
        }
    }
    while (!stack.open.back().advance(code)) {
        stack.open.pop_back();
        if (code || stack.open.empty()) {
            _M_dirs.reset();
            break;
        }
    }
    return *this;
}
void recursive_directory_iterator::pop() {
    const bool was_open = _M_dirs != nullptr;
    error_code code;
    pop(code);
    if (code)
        throw filesystem_error(was_open ? "recursive directory iterator cannot pop"
                                        : "non-dereferenceable recursive directory iterator cannot pop",
                               code);
}
void recursive_directory_iterator::pop(error_code &code) {
    if (!_M_dirs) {
        set(code, EINVAL);
        return;
    }
    do {
        _M_dirs->open.pop_back();
        if (_M_dirs->open.empty()) {
            _M_dirs.reset();
            code.clear();
            return;
        }
    } while (!_M_dirs->open.back().advance(code));
}

bool create_directory(const path &at) {
    error_code code;
    const bool made = create_directory(at, code);
    check(code, "cannot create directory", at);
    return made;
}
bool create_directory(const path &at, error_code &code) noexcept {
    if (::mkdir(at.c_str(), 0777) == 0) {
        code.clear();
        return true;
    }
    const int number = errno;
    if (number == EEXIST && is_directory(status(at, code)))
        code.clear();
    else
        set(code, number);
    return false;
}
bool create_directory(const path &at, const path &like) {
    error_code code;
    const bool made = create_directory(at, like, code);
    check(code, "cannot create directory", at);
    return made;
}
bool create_directory(const path &at, const path &like, error_code &code) noexcept {
    Stat found;
    if (!look(like, code, found))
        return false;
    if (!S_ISDIR(found.st_mode)) {
        set(code, ENOTDIR);
        return false;
    }
    if (::mkdir(at.c_str(), found.st_mode & 07777) == 0)
        return true;
    set_last(code);
    if (code.value() == EEXIST) {
        error_code ignored;
        if (is_directory(status(at, ignored)))
            code.clear();
    }
    return false;
}
bool create_directories(const path &at) {
    error_code code;
    const bool made = create_directories(at, code);
    check(code, "cannot create directories", at);
    return made;
}
bool create_directories(const path &at, error_code &code) {
    if (at.empty()) {
        set(code, ENOENT);
        return false;
    }
    const file_status found = status(at, code);
    if (is_directory(found)) {
        code.clear();
        return false;
    }
    if (exists(found)) {
        set(code, ENOTDIR);
        return false;
    }
    path made_of;
    bool made = false;
    for (const path &each : at) {
        made_of /= each;
        if (each.empty() || each == "." || each == ".." || each == "/")
            continue;
        made = create_directory(made_of, code);
        if (code)
            return false;
    }
    return made;
}

bool is_empty(const path &at) {
    error_code code;
    const bool result = is_empty(at, code);
    check(code, "cannot check if file is empty", at);
    return result;
}
bool is_empty(const path &at, error_code &code) {
    const file_status found = status(at, code);
    if (code)
        return false;
    if (is_directory(found))
        return directory_iterator(at, code) == directory_iterator();
    return file_size(at, code) == 0;
}

// ---------------------------------------------------------------------------------------------------------
// Where one is

path current_path() {
    error_code code;
    path result = current_path(code);
    if (code)
        throw filesystem_error("cannot get current path", code);
    return result;
}
path current_path(error_code &code) {
    char text[4096];
    if (getcwd(text, sizeof text)) {
        code.clear();
        return path(text);
    }
    set_last(code);
    return path();
}
void current_path(const path &to) {
    error_code code;
    current_path(to, code);
    check(code, "cannot set current path", to);
}
void current_path(const path &to, error_code &code) noexcept {
    chdir(to.c_str()) == 0 ? code.clear() : set_last(code);
}

path absolute(const path &of) {
    error_code code;
    path result = absolute(of, code);
    check(code, "cannot make absolute path", of);
    return result;
}
path absolute(const path &of, error_code &code) {
    if (of.empty()) {
        set(code, EINVAL);
        return path();
    }
    code.clear();
    if (of.is_absolute())
        return of;
    path result = current_path(code);
    result /= of;
    return result;
}

path canonical(const path &of) {
    error_code code;
    path result = canonical(of, code);
    check(code, "cannot make canonical path", of);
    return result;
}
path canonical(const path &of, error_code &code) {
    const path whole = absolute(of, code);
    if (code)
        return path();
    // Component by component; what a link says takes its place.
    const int most_links = 40;
    int links = 0;
    vector<string> waiting;
    const auto add = [&](const path &parts) {
        vector<string> names;
        for (const path &each : parts)
            names.push_back(each.native());
        waiting.insert(waiting.end(), names.rbegin(), names.rend());
    };
    add(whole);
    path made = "/";
    while (!waiting.empty()) {
        const string name = waiting.back();
        waiting.pop_back();
        if (name.empty() || name == "." || name == "/") {
            if (name == "/")
                made = "/";
            continue;
        }
        if (name == "..") {
            made = made.parent_path();
            continue;
        }
        const path next = made / name;
        const file_status found = symlink_status(next, code);
        if (code)
            return path();
        if (!is_symlink(found)) {
            if (!waiting.empty() && !is_directory(found)) {
                set(code, ENOTDIR);
                return path();
            }
            made = next;
            continue;
        }
        if (++links > most_links) {
            set(code, ELOOP);
            return path();
        }
        const path target = read_symlink(next, code);
        if (code)
            return path();
        add(target);
    }
    return made;
}

path weakly_canonical(const path &of) {
    error_code code;
    path result = weakly_canonical(of, code);
    check(code, "cannot make canonical path", of);
    return result;
}
path weakly_canonical(const path &of, error_code &code) {
    path there;
    auto at = of.begin();
    const auto end = of.end();
    code.clear();
    while (at != end) {
        const path next = there / *at;
        const file_status found = status(next, code);
        if (!exists(found)) {
            if (found.type() == file_type::not_found)
                code.clear();
            break;
        }
        there = next;
        ++at;
    }
    if (code)
        return path();
    path result;
    if (!there.empty()) {
        result = canonical(there, code);
        if (code)
            return path();
    }
    for (; at != end; ++at)
        result /= *at;
    return result.lexically_normal();
}

path relative(const path &of, const path &base) {
    return weakly_canonical(of).lexically_relative(weakly_canonical(base));
}
path relative(const path &of, const path &base, error_code &code) {
    const path one = weakly_canonical(of, code);
    if (code)
        return path();
    const path two = weakly_canonical(base, code);
    return code ? path() : one.lexically_relative(two);
}
path proximate(const path &of, const path &base) {
    return weakly_canonical(of).lexically_proximate(weakly_canonical(base));
}
path proximate(const path &of, const path &base, error_code &code) {
    const path one = weakly_canonical(of, code);
    if (code)
        return path();
    const path two = weakly_canonical(base, code);
    return code ? path() : one.lexically_proximate(two);
}

path temp_directory_path() {
    error_code code;
    path result = temp_directory_path(code);
    if (code)
        throw filesystem_error("temp_directory_path", result, code);
    return result;
}
path temp_directory_path(error_code &code) {
    path result = "/tmp";
    for (const char *name : {"TMPDIR", "TMP", "TEMP", "TEMPDIR"})
        if (const char *value = getenv(name)) {
            result = value;
            break;
        }
    const file_status found = status(result, code);
    if (!code && !is_directory(found))
        set(code, ENOTDIR);
    return result;
}

// ---------------------------------------------------------------------------------------------------------
// Files

uintmax_t file_size(const path &at) {
    error_code code;
    const uintmax_t size = file_size(at, code);
    check(code, "cannot get file size", at);
    return size;
}
uintmax_t file_size(const path &at, error_code &code) noexcept {
    Stat found;
    if (!look(at, code, found))
        return uintmax_t(-1);
    if (S_ISREG(found.st_mode))
        return uintmax_t(found.st_size);
    set(code, S_ISDIR(found.st_mode) ? EISDIR : ENOTSUP);
    return uintmax_t(-1);
}
uintmax_t hard_link_count(const path &at) {
    error_code code;
    const uintmax_t count = hard_link_count(at, code);
    check(code, "cannot get link count", at);
    return count;
}
uintmax_t hard_link_count(const path &at, error_code &code) noexcept {
    Stat found;
    return look(at, code, found) ? uintmax_t(found.st_nlink) : uintmax_t(-1);
}
bool equivalent(const path &one, const path &two) {
    error_code code;
    const bool result = equivalent(one, two, code);
    check(code, "cannot check file equivalence", one, two);
    return result;
}
bool equivalent(const path &one, const path &two, error_code &code) noexcept {
    Stat first, second;
    const bool has_first = look(one, code, first);
    const bool has_second = look(two, code, second);
    if (has_first && has_second)
        return first.st_dev == second.st_dev && first.st_ino == second.st_ino;
    if (has_first != has_second && is_missing(code.value() ? code.value() : ENOENT))
#if _GLIBCXX_RELEASE >= 13
        set(code, ENOENT);
#else
        code.clear();
#endif
    return false;
}

file_time_type last_write_time(const path &at) {
    error_code code;
    const file_time_type time = last_write_time(at, code);
    check(code, "cannot get file time", at);
    return time;
}
file_time_type last_write_time(const path &at, error_code &code) noexcept {
    Stat found;
    return look(at, code, found) ? time_of(found) : file_time_type::min();
}
void last_write_time(const path &at, file_time_type time) {
    error_code code;
    last_write_time(at, time, code);
    check(code, "cannot set file time", at);
}
void last_write_time(const path &at, file_time_type time, error_code &code) noexcept {
    auto since = time.time_since_epoch() + chrono::seconds(6437664000);
    auto seconds = chrono::floor<chrono::seconds>(since);
    const auto rest = chrono::duration_cast<chrono::nanoseconds>(since - seconds);
    timespec times[2];
    times[0].tv_sec = 0;
    times[0].tv_nsec = UTIME_OMIT;
    times[1].tv_sec = time_t(seconds.count());
    times[1].tv_nsec = long(rest.count());
    utimensat(AT_FDCWD, at.c_str(), times, 0) == 0 ? code.clear() : set_last(code);
}

void permissions(const path &at, perms wanted, perm_options options) {
    error_code code;
    permissions(at, wanted, options, code);
    check(code, "cannot set permissions", at);
}
void permissions(const path &at, perms wanted, perm_options options, error_code &code) noexcept {
    const bool replaces = has(options, perm_options::replace), adds = has(options, perm_options::add);
    const bool removes = has(options, perm_options::remove), stays = has(options, perm_options::nofollow);
    if (int(replaces) + int(adds) + int(removes) != 1)
        return set(code, EINVAL);
    wanted &= perms::mask;
    if (adds || removes || stays) {
        const file_status found = stays ? symlink_status(at, code) : status(at, code);
        if (code)
            return;
        if (adds)
            wanted |= found.permissions();
        else if (removes)
            wanted = found.permissions() & ~wanted;
    }
    const int flags = stays && is_symlink(symlink_status(at, code)) ? AT_SYMLINK_NOFOLLOW : 0;
    fchmodat(AT_FDCWD, at.c_str(), mode_t(wanted), flags) == 0 ? code.clear() : set_last(code);
}

bool remove(const path &at) {
    error_code code;
    const bool removed = remove(at, code);
    check(code, "cannot remove", at);
    return removed;
}
bool remove(const path &at, error_code &code) noexcept {
    if (::remove(at.c_str()) == 0) {
        code.clear();
        return true;
    }
    const int number = errno;
    if (is_missing(number))
        code.clear();
    else
        set(code, number);
    return false;
}
uintmax_t remove_all(const path &at) {
    error_code code;
    const uintmax_t count = remove_all(at, code);
    check(code, "cannot remove all", at);
    return count;
}
uintmax_t remove_all(const path &at, error_code &code) {
    const file_status found = symlink_status(at, code);
    if (!exists(found)) {
        if (found.type() == file_type::not_found)
            code.clear();
        return code ? uintmax_t(-1) : 0;
    }
    uintmax_t count = 0;
    if (is_directory(found)) {
        vector<path> inside;
        for (directory_iterator each(at, code); !code && each != directory_iterator(); each.increment(code))
            inside.push_back(each->path());
        for (const path &each : inside) {
            if (code)
                break;
            count += remove_all(each, code);
        }
        if (code)
            return uintmax_t(-1);
    }
    count += remove(at, code);
    return code ? uintmax_t(-1) : count;
}

void rename(const path &from, const path &to) {
    error_code code;
    rename(from, to, code);
    check(code, "cannot rename", from, to);
}
void rename(const path &from, const path &to, error_code &code) noexcept {
    ::rename(from.c_str(), to.c_str()) == 0 ? code.clear() : set_last(code);
}
void resize_file(const path &at, uintmax_t size) {
    error_code code;
    resize_file(at, size, code);
    check(code, "cannot resize file", at);
}
void resize_file(const path &at, uintmax_t size, error_code &code) noexcept {
    if (size > uintmax_t(__INT64_MAX__))
        set(code, EINVAL);
    else
        truncate(at.c_str(), off_t(size)) == 0 ? code.clear() : set_last(code);
}
space_info space(const path &at) {
    error_code code;
    const space_info result = space(at, code);
    check(code, "cannot get free space", at);
    return result;
}
space_info space(const path &at, error_code &code) noexcept {
    struct statvfs found;
    if (statvfs(at.c_str(), &found) != 0) {
        set_last(code);
        return {uintmax_t(-1), uintmax_t(-1), uintmax_t(-1)};
    }
    code.clear();
    const uintmax_t unit = found.f_frsize ? found.f_frsize : found.f_bsize;
    return {found.f_blocks * unit, found.f_bfree * unit, found.f_bavail * unit};
}

// ---------------------------------------------------------------------------------------------------------
// Links

path read_symlink(const path &at) {
    error_code code;
    path result = read_symlink(at, code);
    check(code, "read_symlink", at);
    return result;
}
path read_symlink(const path &at, error_code &code) {
    char text[4096];
    const ssize_t length = readlink(at.c_str(), text, sizeof text);
    if (length < 0) {
        set_last(code);
        return path();
    }
    code.clear();
    return path(string(text, size_t(length)));
}
void create_symlink(const path &to, const path &at) {
    error_code code;
    create_symlink(to, at, code);
    check(code, "cannot create symlink", to, at);
}
void create_symlink(const path &to, const path &at, error_code &code) noexcept {
    symlink(to.c_str(), at.c_str()) == 0 ? code.clear() : set_last(code);
}
void create_directory_symlink(const path &to, const path &at) {
    error_code code;
    create_directory_symlink(to, at, code);
    check(code, "cannot create directory symlink", to, at);
}
void create_directory_symlink(const path &to, const path &at, error_code &code) noexcept {
    create_symlink(to, at, code);
}
void create_hard_link(const path &to, const path &at) {
    error_code code;
    create_hard_link(to, at, code);
    check(code, "cannot create hard link", to, at);
}
void create_hard_link(const path &to, const path &at, error_code &code) noexcept {
    link(to.c_str(), at.c_str()) == 0 ? code.clear() : set_last(code);
}
void copy_symlink(const path &from, const path &to) {
    error_code code;
    copy_symlink(from, to, code);
    check(code, "cannot copy symlink", from, to);
}
void copy_symlink(const path &from, const path &to, error_code &code) noexcept {
    const path target = read_symlink(from, code);
    if (!code)
        create_symlink(target, to, code);
}

// ---------------------------------------------------------------------------------------------------------
// Copies

bool copy_file(const path &from, const path &to, copy_options options) {
    error_code code;
    const bool copied = copy_file(from, to, options, code);
    check(code, "cannot copy file", from, to);
    return copied;
}
bool copy_file(const path &from, const path &to, copy_options options, error_code &code) {
    Stat source, target;
    if (!look(from, code, source))
        return false;
    if (!S_ISREG(source.st_mode)) {
        set(code, ENOTSUP);
        return false;
    }
    const bool is_there = ::stat(to.c_str(), &target) == 0;
    if (is_there) {
        if (!S_ISREG(target.st_mode)) {
            set(code, ENOTSUP);
            return false;
        }
        const bool is_same = source.st_dev == target.st_dev && source.st_ino == target.st_ino;
        if (is_same || (!has(options, copy_options::skip_existing) && !has(options, copy_options::overwrite_existing) &&
                        !has(options, copy_options::update_existing))) {
            set(code, EEXIST);
            return false;
        }
        if (has(options, copy_options::skip_existing))
            return false;
        if (has(options, copy_options::update_existing) && time_of(source) <= time_of(target))
            return false;
    }
    const int in = ::open(from.c_str(), O_RDONLY | O_CLOEXEC);
    if (in < 0) {
        set_last(code);
        return false;
    }
    const int flags = O_WRONLY | O_CREAT | O_CLOEXEC | (is_there ? O_TRUNC : O_EXCL);
    const int out = ::open(to.c_str(), flags, source.st_mode & 07777);
    bool fine = out >= 0;
    char buffer[4096];
    while (fine) {
        const ssize_t count = read(in, buffer, sizeof buffer);
        fine = count >= 0;
        if (count <= 0)
            break;
        for (ssize_t done = 0; fine && done < count;) {
            const ssize_t written = write(out, buffer + done, size_t(count - done));
            fine = written >= 0;
            done += written;
        }
    }
    fine = fine && fchmod(out, source.st_mode & 07777) == 0;
    if (!fine)
        set_last(code);
    ::close(in);
    if (out >= 0)
        ::close(out);
    return fine;
}

void copy(const path &from, const path &to, copy_options options) {
    error_code code;
    copy(from, to, options, code);
    check(code, "cannot copy", from, to);
}
void copy(const path &from, const path &to, copy_options options, error_code &code) {
    const bool keeps_links = has(options, copy_options::skip_symlinks) || has(options, copy_options::copy_symlinks) ||
                             has(options, copy_options::create_symlinks);
    const file_status source = keeps_links ? symlink_status(from, code) : status(from, code);
    if (!exists(source))
        return code ? void() : set(code, ENOENT);
    const bool looks_at_links =
        has(options, copy_options::skip_symlinks) || has(options, copy_options::create_symlinks);
    const file_status target = looks_at_links ? symlink_status(to, code) : status(to, code);
    if (code && target.type() != file_type::not_found)
        return;
    code.clear();
    error_code ignored;
    if (exists(target) && equivalent(from, to, ignored))
        return set(code, EEXIST);
    if (is_other(source) || is_other(target))
        return set(code, ENOTSUP);
    if (is_directory(source) && is_regular_file(target))
        return set(code, EISDIR);
    if (is_symlink(source)) {
        if (has(options, copy_options::skip_symlinks))
            return;
        if (!exists(target) && has(options, copy_options::copy_symlinks))
            return copy_symlink(from, to, code);
        return set(code, exists(target) ? EEXIST : EINVAL);
    }
    if (is_regular_file(source)) {
        if (has(options, copy_options::directories_only))
            return;
        if (has(options, copy_options::create_symlinks))
            return create_symlink(from, to, code);
        if (has(options, copy_options::create_hard_links))
            return create_hard_link(from, to, code);
        copy_file(from, is_directory(target) ? to / from.filename() : to, options, code);
        return;
    }
    if (!is_directory(source))
        return;
    if (has(options, copy_options::create_symlinks))
        return set(code, EISDIR);
    // Nothing but its own files is copied, unless more is asked for; of directories in it, this option says so.
    const copy_options inner = copy_options(1 << 15);
    if (!has(options, copy_options::recursive) && options != copy_options::none)
        return;
    if (!exists(target))
        create_directory(to, from, code);
    if (!has(options, copy_options::recursive))
        options |= inner;
    const bool goes_down = has(options, copy_options::recursive);
    for (directory_iterator each(from, code); !code && each != directory_iterator(); each.increment(code)) {
        if (!goes_down && is_directory(each->status(ignored)))
            continue;
        copy(each->path(), to / each->path().filename(), options, code);
        if (code)
            return;
    }
}

} // namespace filesystem

template class __shared_ptr<filesystem::_Dir>;
template class __shared_ptr<filesystem::recursive_directory_iterator::_Dir_stack>;

} // namespace std
