// Copies.

namespace std {
namespace filesystem {

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
} // namespace std
