// Paths and what is done with files and directories by their paths.
#include <filesystem>
#include <fstream>
#include <iostream>
#include <set>
#include <string>

namespace fs = std::filesystem;

void paths() {
    const char *texts[] = {"",      "/",     "//",      "a",         "/a",       "a/",       "a/b",   "/a/b.c",
                           "a//b/", ".",     "..",      "./a",       "../a/..",  "/..",      "/../a", "a/./b",
                           "a/..",  "a/b/..", ".profile", "x.tar.gz", "a.b/",    "a..",      "...",   "a/../../b"};
    for (const char *text : texts) {
        const fs::path path = text;
        std::cout << path << ": " << path.root_path() << path.relative_path() << path.parent_path() << path.filename()
                  << path.stem() << path.extension() << path.lexically_normal() << path.is_absolute()
                  << path.has_filename() << path.has_parent_path() << path.has_relative_path();
        for (const fs::path &part : path) std::cout << ',' << part;
        std::cout << '\n';
        for (const char *other : {"", "/", "a", "/a", "a/b", ".."}) {
            const fs::path second = other;
            const int order = path.compare(second);
            fs::path sum = path;
            sum += second;
            std::cout << ' ' << path / second << (order > 0) - (order < 0) << path.lexically_relative(second) << sum;
        }
        fs::path extension = path, name = path, folder = path;
        extension.replace_extension("zz");
        name.replace_filename("ff");
        folder.remove_filename();
        std::cout << '\n' << extension << name << folder << '\n';
    }
}

template <class F> void fails(F f) {
    try {
        f();
    } catch (const fs::filesystem_error &error) {
        std::cout << error.what() << ' ' << error.code() << error.path1() << '\n';
    }
}

void files() {
    const fs::path top = "refrain-filesystem-test";
    fs::remove_all(top);
    std::cout << fs::create_directories(top / "mid/deep") << fs::create_directory(top) << fs::exists(top / "mid")
              << fs::is_directory(top / "mid/deep") << '\n';
    std::ofstream(top / "one.txt") << "hello";
    std::ofstream(top / "mid/two.txt") << "something longer";
    std::set<std::string> here, all;
    for (const auto &entry : fs::directory_iterator(top))
        here.insert(entry.path().string() + (entry.is_directory() ? "/" : ""));
    for (auto at = fs::recursive_directory_iterator(top); at != fs::recursive_directory_iterator(); ++at)
        all.insert(at->path().string() + ':' + std::to_string(at.depth()));
    for (const std::string &name : here) std::cout << name << '\n';
    for (const std::string &name : all) std::cout << name << '\n';
    std::cout << fs::file_size(top / "one.txt") << fs::is_empty(top / "mid/deep") << fs::is_empty(top)
              << fs::is_regular_file(top / "one.txt") << '\n';
    fs::copy_file(top / "one.txt", top / "three.txt");
    fs::rename(top / "three.txt", top / "four.txt");
    fs::resize_file(top / "four.txt", 2);
    std::cout << fs::exists(top / "three.txt") << fs::file_size(top / "four.txt") << '\n';
    fails([&] { fs::copy_file(top / "one.txt", top / "four.txt"); });
    fails([] { std::cout << fs::file_size("nothing"); });
    fails([] { fs::directory_iterator none("nothing"); });
    fails([&] { fs::create_directory(top / "one.txt/x"); });
    std::error_code code;
    fs::file_size(top, code);
    std::cout << code.message() << '\n';
    std::cout << (fs::canonical(top / "../" / top / "./one.txt") == fs::current_path() / top / "one.txt")
              << fs::relative(top / "mid", top) << fs::proximate(top / "one.txt", top / "mid")
              << fs::weakly_canonical(top / "nope/../x").filename() << '\n';
    fs::copy(top, "refrain-filesystem-copy", fs::copy_options::recursive);
    std::cout << fs::exists("refrain-filesystem-copy/mid/two.txt") << fs::remove_all("refrain-filesystem-copy") << '\n';
    std::cout << fs::remove(top / "one.txt") << fs::remove(top / "one.txt");
    std::cout << fs::remove_all(top) << fs::exists(top) << '\n';
}

int main() {
    paths();
    files();
}
