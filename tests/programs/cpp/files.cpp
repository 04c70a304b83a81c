// Files by streams: written, appended to, read in several ways, and what cannot be opened.
#include <cstdio>
#include <fstream>
#include <iostream>
#include <iterator>
#include <string>
#include <vector>

int main() {
    const char *name = "refrain-files-test.txt";
    {
        std::ofstream out(name);
        out << "line one\nline two\n" << 5 << std::endl;
        for (int i = 0; i < 3000; ++i) out << i << ' ';
        std::cout << out.is_open() << out.tellp() << '\n';
    }
    {
        std::ofstream more(name, std::ios::app);
        more << "\nend" << '\n';
    }
    std::ifstream in(name);
    std::string line;
    for (int number = 1; std::getline(in, line); ++number)
        std::cout << number << ' ' << line.size() << ' ' << line.substr(0, 12) << '\n';
    in.clear();
    in.seekg(5);
    in >> line;
    std::cout << line << ' ' << in.tellg() << '\n';
    in.seekg(-4, std::ios::end);
    in >> line;
    std::cout << line << '\n';
    in.close();
    {
        std::fstream both(name, std::ios::in | std::ios::out);
        both.seekp(5);
        both << "ONE";
        both.seekg(0);
        std::getline(both, line);
        std::cout << line << '\n';
    }
    std::ifstream binary(name, std::ios::binary);
    const std::vector<char> all((std::istreambuf_iterator<char>(binary)), std::istreambuf_iterator<char>());
    std::cout << all.size() << '\n';
    std::ifstream copied(name);
    std::ofstream copy("refrain-files-copy.txt", std::ios::trunc);
    copy << copied.rdbuf();
    copy.close();
    std::cout << std::ifstream("refrain-files-copy.txt", std::ios::ate).tellg() << '\n';
    std::ifstream none("refrain-no-such-file");
    std::cout << none.is_open() << bool(none) << '\n';
    try {
        none.exceptions(std::ios::failbit);
    } catch (const std::ios_base::failure &failure) {
        std::cout << failure.what() << '\n';
    }
    std::remove("refrain-files-copy.txt");
    return std::remove(name);
}
