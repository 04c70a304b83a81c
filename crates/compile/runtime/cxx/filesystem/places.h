// Where one is, and paths as they are from there.

namespace std {
namespace filesystem {

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

} // namespace filesystem
} // namespace std
