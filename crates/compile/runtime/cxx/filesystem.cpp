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

} // namespace filesystem
} // namespace std

#include "filesystem/directories.h"
#include "filesystem/places.h"
#include "filesystem/links.h"
#include "filesystem/copies.h"

namespace std {
namespace filesystem {

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

} // namespace filesystem

template class __shared_ptr<filesystem::_Dir>;
template class __shared_ptr<filesystem::recursive_directory_iterator::_Dir_stack>;

} // namespace std
