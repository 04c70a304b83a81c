// Conversions between UTF-8, UTF-16 and UCS-4, of right text and of wrong.
#include <codecvt>
#include <iostream>
#include <locale>
#include <stdexcept>
#include <string>

template <class Facet, class C> void both(const char *what, const std::string &bytes) {
    std::cout << what << ' ' << bytes.size() << ": ";
    try {
        std::wstring_convert<Facet, C> converter;
        const auto wide = converter.from_bytes(bytes);
        std::cout << std::hex;
        for (C unit : wide) std::cout << static_cast<unsigned long>(unit) << ',';
        std::cout << std::dec << (converter.to_bytes(wide) == bytes) << converter.converted() << '\n';
    } catch (const std::range_error &error) {
        std::cout << error.what() << '\n';
    }
    Facet facet;
    std::mbstate_t state{};
    const char *start = bytes.data();
    std::cout << facet.max_length() << facet.length(state, start, start + bytes.size(), 2) << '\n';
}

struct Codes16 : std::codecvt<char16_t, char, std::mbstate_t> {
    ~Codes16() {}
};

int main() {
    const std::string texts[] = {"",         "abc",  "gr\xc3\xbc\xc3\x9f", "\xe2\x82\xac!", "\xf0\x9f\x98\x80x", "\xc3",
                                 "\xe2\x82", "\xff", "\xc0\x80",           "a\x80",         "\xef\xbb\xbfhi",    "\xe2\x41"};
    for (const std::string &text : texts) {
        both<std::codecvt_utf8<wchar_t>, wchar_t>("utf8 wide", text);
        both<std::codecvt_utf8<char16_t>, char16_t>("utf8 ucs2", text);
        both<std::codecvt_utf8_utf16<char16_t>, char16_t>("utf8 utf16", text);
        both<std::codecvt_utf8<wchar_t, 0x10ffff, std::consume_header>, wchar_t>("header", text);
        both<Codes16, char16_t>("locale's", text);
    }
    const std::string units[] = {std::string("\0a\0b", 4), std::string("\xd8\x3d\xde\x00\0x", 6),
                                 std::string("\xff\xfe" "a\0", 4), std::string("\0", 1), std::string("\xde\x00", 2)};
    for (const std::string &text : units) {
        both<std::codecvt_utf16<char16_t>, char16_t>("utf16 ucs2", text);
        both<std::codecvt_utf16<char32_t>, char32_t>("utf16 ucs4", text);
        both<std::codecvt_utf16<wchar_t, 0x10ffff, std::consume_header>, wchar_t>("utf16 header", text);
    }
}
