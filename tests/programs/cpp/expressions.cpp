// Regular expressions: the grammars, groups, iterators, replacing, and what is wrong with some.
#include <iostream>
#include <regex>
#include <string>

void match(const std::string &expression, const std::string &text, std::regex::flag_type flags = std::regex::ECMAScript) {
    std::cout << expression << " on " << text << ": ";
    try {
        std::smatch found;
        const std::regex compiled(expression, flags);
        std::cout << std::regex_match(text, compiled) << ' ';
        if (!std::regex_search(text, found, compiled)) {
            std::cout << "nothing\n";
            return;
        }
        for (const auto &group : found) std::cout << '<' << group << '>';
        std::cout << " at " << found.position() << ", then " << found.suffix() << '\n';
    } catch (const std::regex_error &error) {
        std::cout << error.code() << ' ' << error.what() << '\n';
    }
}

int main() {
    match("(\\w+)@(\\w+)\\.com", "mail bob@site.com now");
    match("a(b|c)*d", "xabcbcd");
    match("(a*)(a+?)(a{2,3})", "aaaaaaa");
    match("^\\s*([-+]?\\d+)(\\.\\d*)?$", "  -12.50");
    match("(?:ab)+(?!c)", "ababc abab");
    match("(.)\\1", "hello");
    match("[[:alpha:]_][[:alnum:]_]*", "9 lives_2");
    match("[^a-f]+", "abcxyzdef");
    match("HELLO", "hello", std::regex::icase);
    match("\\(a\\)*b", "aab", std::regex::basic);
    match("(a|ab)(c|bcd)", "abcd", std::regex::extended);
    match("\\bcat\\b", "a cat sat");
    match("(", "");
    match("a{3,1}", "");
    match("[z-a]", "");
    match("*", "");
    match("\\2(a)", "");
    const std::string text = "one two  three";
    const std::regex words("\\w+"), spaces("\\s+");
    for (std::sregex_iterator at(text.begin(), text.end(), words), end; at != end; ++at)
        std::cout << at->str() << '@' << at->position() << ' ';
    for (std::sregex_token_iterator at(text.begin(), text.end(), spaces, -1), end; at != end; ++at)
        std::cout << '[' << *at << ']';
    std::cout << '\n' << std::regex_replace(text, std::regex("(t)(\\w)"), "$2$1<$&>") << '\n';
    std::cout << std::regex_replace(text, spaces, "_", std::regex_constants::format_first_only) << '\n';
}
