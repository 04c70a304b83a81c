// Links.

namespace std {
namespace filesystem {

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

} // namespace filesystem
} // namespace std
