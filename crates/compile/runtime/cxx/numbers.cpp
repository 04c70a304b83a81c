// Floating-point numbers as text and back: <charconv>, by way of the C library's own conversions.

#include "common.h"

#include <charconv>
#include <limits>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <string>

namespace std {

namespace {

float parse(const char *text, float) { return strtof(text, nullptr); }
double parse(const char *text, double) { return strtod(text, nullptr); }
long double parse(const char *text, long double) { return strtold(text, nullptr); }

/// As printf has it, with a conversion that takes a precision; a negative one is none.
template <class T> string printed(char conversion, int precision, T value) {
    string format = "%";
    if (precision >= 0)
        format += ".*";
    if (sizeof(T) > sizeof(double))
        format += 'L';
    format += conversion;
    typedef typename conditional<(sizeof(T) > sizeof(double)), long double, double>::type Passed;
    const auto print = [&](char *to, size_t room) {
        return precision >= 0 ? snprintf(to, room, format.c_str(), precision, Passed(value))
                              : snprintf(to, room, format.c_str(), Passed(value));
    };
    string text(64, 0);
    const int length = print(&text[0], text.size());
    if (size_t(length) >= text.size()) {
        text.resize(size_t(length) + 1);
        print(&text[0], text.size());
    }
    text.resize(size_t(length));
    return text;
}

to_chars_result put(char *first, char *last, const string &text) {
    if (size_t(last - first) < text.size())
        return {last, errc::value_too_large};
    memcpy(first, text.data(), text.size());
    return {first + text.size(), errc()};
}

/// Without the `0x` that printf puts in front of digits.
string without_prefix(string text) {
    const size_t at = text.find("0x");
    return at == string::npos ? text : text.erase(at, 2);
}

bool is_number(const string &text) { return text.find_first_of("in") == string::npos; }

/// The fewest digits that are read back as the same value, in scientific notation.
template <class T> string shortest(T value) {
    for (int digits = 0;; ++digits) {
        string text = printed('e', digits, value);
        if (digits > numeric_limits<T>::max_digits10 || parse(text.c_str(), T()) == value)
            return text;
    }
}

/// The same number without an exponent.
template <class T> string as_fixed(const string &scientific, T value) {
    const size_t e = scientific.find('e');
    const int exponent = atoi(scientific.c_str() + e + 1);
    string digits;
    for (char c : scientific.substr(0, e))
        if (c != '-' && c != '.')
            digits += c;
    const string sign = scientific[0] == '-' ? "-" : "";
    if (exponent < 0)
        return sign + "0." + string(size_t(-exponent - 1), '0') + digits;
    if (size_t(exponent) + 1 >= digits.size())
        return printed('f', 0, value);
    return sign + digits.substr(0, size_t(exponent) + 1) + "." + digits.substr(size_t(exponent) + 1);
}

template <class T> to_chars_result write(char *first, char *last, T value) {
    string text = shortest(value);
    if (is_number(text)) {
        const string fixed = as_fixed(text, value);
        if (fixed.size() <= text.size())
            text = fixed;
    }
    return put(first, last, text);
}

template <class T> to_chars_result write(char *first, char *last, T value, chars_format format) {
    if (format == chars_format::hex)
        return put(first, last, without_prefix(printed('a', -1, value)));
    string text = shortest(value);
    if (!is_number(text) || format == chars_format::scientific)
        return put(first, last, text);
    const int exponent = atoi(text.c_str() + text.find('e') + 1);
    const bool is_fixed = format == chars_format::fixed || (-4 <= exponent && exponent < 6);
    return put(first, last, is_fixed ? as_fixed(text, value) : text);
}

template <class T> to_chars_result write(char *first, char *last, T value, chars_format format, int precision) {
    if (precision < 0)
        precision = 6;
    if (format == chars_format::hex)
        return put(first, last, without_prefix(printed('a', precision, value)));
    const char kind = format == chars_format::fixed ? 'f' : format == chars_format::scientific ? 'e' : 'g';
    return put(first, last, printed(kind, precision, value));
}

bool is_digit(char c, bool hexadecimal) {
    const char lower = char(c | 32);
    return ('0' <= c && c <= '9') || (hexadecimal && 'a' <= lower && lower <= 'f');
}

/// Whether text starts with a word in lower case, whatever its own case is.
bool starts_with(const char *first, const char *last, const char *word) {
    for (; *word; ++word, ++first)
        if (first == last || (*first | 32) != *word)
            return false;
    return true;
}

template <class T> from_chars_result read(const char *first, const char *last, T &value, chars_format format) {
    const from_chars_result nothing = {first, errc::invalid_argument};
    const char *at = first;
    string text;
    if (at != last && *at == '-')
        text += *at++;
    const bool negative = !text.empty();
    if (starts_with(at, last, "inf") || starts_with(at, last, "nan")) {
        const bool infinite = (*at | 32) == 'i';
        at += starts_with(at, last, "infinity") ? 8 : 3;
        if (!infinite && at != last && *at == '(') {
            const char *end = at + 1;
            while (end != last && (is_digit(*end, false) || ('a' <= (*end | 32) && (*end | 32) <= 'z') || *end == '_'))
                ++end;
            if (end != last && *end == ')')
                at = end + 1;
        }
        const T found = infinite ? numeric_limits<T>::infinity() : numeric_limits<T>::quiet_NaN();
        value = negative ? -found : found;
        return {at, errc()};
    }
    const bool hexadecimal = format == chars_format::hex;
    if (hexadecimal)
        text += "0x";
    bool any = false, is_zero = true;
    const auto digits = [&] {
        for (; at != last && is_digit(*at, hexadecimal); ++at) {
            text += *at;
            any = true;
            is_zero = is_zero && *at == '0';
        }
    };
    digits();
    if (at != last && *at == '.' && (any || (at + 1 != last && is_digit(at[1], hexadecimal)))) {
        text += *at++;
        digits();
    }
    if (!any)
        return nothing;
    bool has_exponent = false;
    if (format != chars_format::fixed && at != last && (*at | 32) == (hexadecimal ? 'p' : 'e')) {
        const char *next = at + 1;
        if (next != last && (*next == '+' || *next == '-'))
            ++next;
        if (next != last && is_digit(*next, false)) {
            has_exponent = true;
            while (next != last && is_digit(*next, false))
                ++next;
            text.append(at, next);
            at = next;
        }
    }
    if (format == chars_format::scientific && !has_exponent)
        return nothing;
    const T found = parse(text.c_str(), T());
    const bool too_large = found == numeric_limits<T>::infinity() || found == -numeric_limits<T>::infinity();
    if (too_large || (found == 0 && !is_zero))
        return {at, errc::result_out_of_range};
    value = found;
    return {at, errc()};
}

} // namespace

#define REFRAIN_CONVERSIONS(T)                                                                                       \
    to_chars_result to_chars(char *first, char *last, T value) noexcept { return write(first, last, value); }        \
    to_chars_result to_chars(char *first, char *last, T value, chars_format format) noexcept {                       \
        return write(first, last, value, format);                                                                    \
    }                                                                                                                \
    to_chars_result to_chars(char *first, char *last, T value, chars_format format, int precision) noexcept {        \
        return write(first, last, value, format, precision);                                                         \
    }                                                                                                                \
    from_chars_result from_chars(const char *first, const char *last, T &value, chars_format format) noexcept {      \
        return read(first, last, value, format);                                                                     \
    }

REFRAIN_CONVERSIONS(float)
REFRAIN_CONVERSIONS(double)
REFRAIN_CONVERSIONS(long double)

} // namespace std
