// statuses: 0 1 2 3
// Paths of files, their components and extensions.
#include <filesystem>
#include <klee/klee.h>

int main() {
    char text[3];
    klee_make_symbolic(text, 3, "text");
    for (char &c : text) klee_assume((c == 'a') | (c == '/') | (c == '.'));
    const std::filesystem::path path(std::string(text, 3));
    if (path.is_absolute()) return 1;
    if (path.lexically_normal() == "a") return 2;
    if (path.has_extension()) return 3;
    return 0;
}
