// statuses: 0 1 2 3
// Numbers out of characters, without streams.
#include <charconv>
#include <klee/klee.h>

int main() {
    char text[3];
    klee_make_symbolic(text, 3, "text");
    for (char &c : text) klee_assume((c == '2') | (c == '5') | (c == '-') | (c == ' '));
    signed char number = 0;
    const auto result = std::from_chars(text, text + 3, number);
    if (result.ec == std::errc::invalid_argument) return 1;
    if (result.ec == std::errc::result_out_of_range) return 2;
    char back[4];
    const auto written = std::to_chars(back, back + 4, number);
    if (written.ptr - back != result.ptr - text) return 9; // never
    if (result.ptr == text + 3) return 3;
    return 0;
}
