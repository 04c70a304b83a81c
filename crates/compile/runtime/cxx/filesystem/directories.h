// Directories.

namespace std {
namespace filesystem {

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

} // namespace filesystem
} // namespace std
