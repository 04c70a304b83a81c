// Conversions between UTF-8, UTF-16 and UCS-4: the facets of <codecvt>, and those for char16_t and char32_t.

#include "common.h"

#include <codecvt>
#include <locale>

namespace std {

namespace {

const char32_t incomplete = char32_t(-2), invalid = char32_t(-1);
const unsigned long last_code = 0x10ffff;

/// Half of a pair stands for itself in older releases of the library, where there is room for it.
const bool halves_are_invalid = _GLIBCXX_RELEASE >= 13;

/// What bytes are read and written as, and how far.
struct Bytes {
    unsigned long most;
    codecvt_mode mode;

    bool is_little() const { return mode & little_endian; }
};

/// One character of UTF-8; nothing is read unless it is whole and right.
char32_t read_utf8(const char *&from, const char *end, unsigned long most) {
    const size_t room = size_t(end - from);
    if (room == 0)
        return incomplete;
    const auto byte = [&](size_t i) { return char32_t(static_cast<unsigned char>(from[i])); };
    const char32_t first = byte(0);
    const size_t length = first < 0x80 ? 1 : first < 0xc2 ? 0 : first < 0xe0 ? 2 : first < 0xf0 ? 3 : first < 0xf5 ? 4 : 0;
    if (length == 0)
        return invalid;
    if (room < length)
        return incomplete;
    char32_t code = length == 1 ? first : first & (0x7fu >> length);
    for (size_t i = 1; i < length; ++i) {
        if ((byte(i) & 0xc0) != 0x80)
            return invalid;
        code = code << 6 | (byte(i) & 0x3f);
        // Longer than needed, half of a pair, or beyond the last: seen from the second byte.
        const bool is_half = halves_are_invalid && code >= 0x360 && code < 0x380;
        if (i == 1 && ((length == 3 && (code < 0x20 || is_half)) || (length == 4 && (code < 0x10 || code > 0x10f))))
            return invalid;
    }
    if (code > most)
        return invalid;
    from += length;
    return code;
}

/// Whether there was room.
bool write_utf8(char32_t code, char *&to, char *end) {
    const size_t length = code < 0x80 ? 1 : code < 0x800 ? 2 : code < 0x10000 ? 3 : 4;
    if (size_t(end - to) < length)
        return false;
    static const unsigned char marks[] = {0, 0, 0xc0, 0xe0, 0xf0};
    for (size_t i = length; i-- > 0;) {
        to[i] = char(i ? 0x80 | (code & 0x3f) : marks[length] | code);
        code >>= 6;
    }
    to += length;
    return true;
}

char32_t read_unit(const char *from, bool little) {
    const unsigned char one = static_cast<unsigned char>(from[0]), two = static_cast<unsigned char>(from[1]);
    return little ? char32_t(two) << 8 | one : char32_t(one) << 8 | two;
}

bool is_high(char32_t unit) { return unit >= 0xd800 && unit < 0xdc00; }
bool is_low(char32_t unit) { return unit >= 0xdc00 && unit < 0xe000; }

/// One character of UTF-16 in bytes.
char32_t read_utf16(const char *&from, const char *end, unsigned long most, bool little) {
    if (end - from < 2)
        return invalid;
    char32_t code = read_unit(from, little);
    if (is_low(code))
        return invalid;
    const bool paired = is_high(code);
    if (paired) {
        if (end - from < 4)
            return incomplete;
        const char32_t low = read_unit(from + 2, little);
        if (!is_low(low))
            return invalid;
        code = 0x10000 + ((code - 0xd800) << 10) + (low - 0xdc00);
    }
    if (code > most)
        return invalid;
    from += paired ? 4 : 2;
    return code;
}

bool write_utf16(char32_t code, char *&to, char *end, bool little) {
    const auto put = [&](char32_t unit) {
        *to++ = char(little ? unit : unit >> 8);
        *to++ = char(little ? unit >> 8 : unit);
    };
    if (end - to < (code < 0x10000 ? 2 : 4))
        return false;
    if (code < 0x10000) {
        put(code);
    } else {
        put(0xd7c0 + (code >> 10));
        put(0xdc00 + (code & 0x3ff));
    }
    return true;
}

/// One character of the program: one element, or two of UTF-16.
template <class C> char32_t read_own(const C *&from, const C *end, bool pairs, unsigned long most) {
    if (from == end)
        return incomplete;
    char32_t code = char32_t(*from);
    size_t length = 1;
    const bool is_half = is_low(code) || is_high(code);
    if (!pairs && is_half && (sizeof(C) == 2 || halves_are_invalid))
        return invalid;
    if (pairs && is_low(code))
        return invalid;
    if (pairs && is_high(code)) {
        if (end - from < 2)
            return incomplete;
        if (!is_low(char32_t(from[1])))
            return invalid;
        code = 0x10000 + ((code - 0xd800) << 10) + (char32_t(from[1]) - 0xdc00);
        length = 2;
    }
    if (code > most)
        return invalid;
    from += length;
    return code;
}

template <class C> bool write_own(char32_t code, C *&to, C *end, bool pairs) {
    const bool two = pairs && code >= 0x10000;
    if (end - to < (two ? 2 : 1))
        return false;
    if (two) {
        *to++ = C(0xd7c0 + (code >> 10));
        code = 0xdc00 + (code & 0x3ff);
    }
    *to++ = C(code);
    return true;
}

enum class Outside { utf8, utf16 };

template <class C, Outside outside, bool pairs> struct Conversion {
    Bytes bytes;

    unsigned long most() const {
        return sizeof(C) == 2 && !pairs ? min(bytes.most, 0xfffful) : min(bytes.most, last_code);
    }

    codecvt_base::result out(const C *from, const C *from_end, const C *&from_next, char *to, char *to_end,
                             char *&to_next) const {
        codecvt_base::result result = codecvt_base::ok;
        if ((bytes.mode & generate_header) && from < from_end) {
            const bool fits = outside == Outside::utf8 ? write_utf8(0xfeff, to, to_end)
                                                       : write_utf16(0xfeff, to, to_end, bytes.is_little());
            if (!fits)
                result = codecvt_base::partial;
        }
        while (result == codecvt_base::ok && from < from_end) {
            const C *next = from;
            const char32_t code = read_own(next, from_end, pairs, most());
            if (code == invalid)
                result = codecvt_base::error;
            else if (code == incomplete)
                result = codecvt_base::partial;
            else if (outside == Outside::utf8 ? write_utf8(code, to, to_end)
                                              : write_utf16(code, to, to_end, bytes.is_little()))
                from = next;
            else
                result = codecvt_base::partial;
        }
        from_next = from;
        to_next = to;
        return result;
    }

    char32_t read(const char *&from, const char *end, bool little) const {
        return outside == Outside::utf8 ? read_utf8(from, end, most()) : read_utf16(from, end, most(), little);
    }

    /// Skips a mark of the order; whether the order is the little one.
    bool skip_header(const char *&from, const char *end) const {
        bool little = bytes.is_little();
        if (!(bytes.mode & consume_header))
            return little;
        if (outside == Outside::utf8) {
            if (end - from >= 3 && __builtin_memcmp(from, "\xef\xbb\xbf", 3) == 0)
                from += 3;
        } else if (end - from >= 2) {
            const char32_t mark = read_unit(from, false);
            if (mark == 0xfeff || mark == 0xfffe) {
                little = mark == 0xfffe;
                from += 2;
            }
        }
        return little;
    }

    codecvt_base::result in(const char *from, const char *from_end, const char *&from_next, C *to, C *to_end,
                            C *&to_next) const {
        codecvt_base::result result = codecvt_base::ok;
        const bool little = skip_header(from, from_end);
        while (result == codecvt_base::ok && from < from_end) {
            const char *next = from;
            const char32_t code = read(next, from_end, little);
            // Without pairs the library takes what is cut off for wrong.
            const bool cut_is_wrong = sizeof(C) == 2 && !pairs;
            if (code == invalid || (code == incomplete && cut_is_wrong))
                result = codecvt_base::error;
            else if (code == incomplete)
                result = codecvt_base::partial;
            else if (write_own(code, to, to_end, pairs))
                from = next;
            else
                result = codecvt_base::partial;
        }
        from_next = from;
        to_next = to;
        return result;
    }

    int length(const char *from, const char *end, size_t limit) const {
        const char *start = from;
        const bool little = skip_header(from, end);
        for (size_t count = 0; count < limit;) {
            const char *next = from;
            const char32_t code = read(next, end, little);
            const size_t units = pairs && code >= 0x10000 ? 2 : 1;
            if (code == invalid || code == incomplete || count + units > limit)
                break;
            count += units;
            from = next;
        }
        return int(from - start);
    }

    int max_length() const {
        const bool is_short = sizeof(C) == 2 && !pairs;
        const int longest = outside == Outside::utf8 ? (is_short ? 3 : 4) : (is_short ? 2 : 4);
        const int header = outside == Outside::utf8 ? 3 : 2;
        return longest + (bytes.mode & consume_header ? header : 0);
    }
};

} // namespace

#define REFRAIN_CODES(Facet, C, ...)                                                                                 \
    Facet::~REFRAIN_BASE() {}                                                                                        \
    codecvt_base::result Facet::do_out(mbstate_t &, const C *from, const C *from_end, const C *&from_next, char *to, \
                                       char *to_end, char *&to_next) const {                                         \
        return __VA_ARGS__{REFRAIN_BYTES}.out(from, from_end, from_next, to, to_end, to_next);                       \
    }                                                                                                                \
    codecvt_base::result Facet::do_unshift(mbstate_t &, char *to, char *, char *&to_next) const {                    \
        to_next = to;                                                                                                \
        return noconv;                                                                                               \
    }                                                                                                                \
    codecvt_base::result Facet::do_in(mbstate_t &, const char *from, const char *from_end, const char *&from_next,   \
                                      C *to, C *to_end, C *&to_next) const {                                         \
        return __VA_ARGS__{REFRAIN_BYTES}.in(from, from_end, from_next, to, to_end, to_next);                        \
    }                                                                                                                \
    int Facet::do_encoding() const noexcept { return 0; }                                                            \
    bool Facet::do_always_noconv() const noexcept { return false; }                                                  \
    int Facet::do_length(mbstate_t &, const char *from, const char *end, size_t limit) const {                       \
        return __VA_ARGS__{REFRAIN_BYTES}.length(from, end, limit);                                                  \
    }                                                                                                                \
    int Facet::do_max_length() const noexcept { return __VA_ARGS__{REFRAIN_BYTES}.max_length(); }

typedef codecvt<char16_t, char, mbstate_t> Codes16;
typedef codecvt<char32_t, char, mbstate_t> Codes32;
locale::id Codes16::id;
locale::id Codes32::id;

#define REFRAIN_BASE codecvt
#define REFRAIN_BYTES (Bytes{last_code, codecvt_mode(0)})
REFRAIN_CODES(Codes16, char16_t, Conversion<char16_t, Outside::utf8, true>)
REFRAIN_CODES(Codes32, char32_t, Conversion<char32_t, Outside::utf8, false>)
#undef REFRAIN_BASE
#undef REFRAIN_BYTES

#define REFRAIN_BYTES (Bytes{_M_maxcode, _M_mode})
#define REFRAIN_BASE __codecvt_utf8_base
REFRAIN_CODES(__codecvt_utf8_base<char16_t>, char16_t, Conversion<char16_t, Outside::utf8, false>)
REFRAIN_CODES(__codecvt_utf8_base<char32_t>, char32_t, Conversion<char32_t, Outside::utf8, false>)
REFRAIN_CODES(__codecvt_utf8_base<wchar_t>, wchar_t, Conversion<wchar_t, Outside::utf8, false>)
#undef REFRAIN_BASE
#define REFRAIN_BASE __codecvt_utf16_base
REFRAIN_CODES(__codecvt_utf16_base<char16_t>, char16_t, Conversion<char16_t, Outside::utf16, false>)
REFRAIN_CODES(__codecvt_utf16_base<char32_t>, char32_t, Conversion<char32_t, Outside::utf16, false>)
REFRAIN_CODES(__codecvt_utf16_base<wchar_t>, wchar_t, Conversion<wchar_t, Outside::utf16, false>)
#undef REFRAIN_BASE
#define REFRAIN_BASE __codecvt_utf8_utf16_base
REFRAIN_CODES(__codecvt_utf8_utf16_base<char16_t>, char16_t, Conversion<char16_t, Outside::utf8, true>)
REFRAIN_CODES(__codecvt_utf8_utf16_base<char32_t>, char32_t, Conversion<char32_t, Outside::utf8, true>)
REFRAIN_CODES(__codecvt_utf8_utf16_base<wchar_t>, wchar_t, Conversion<wchar_t, Outside::utf8, true>)
#undef REFRAIN_BASE
#undef REFRAIN_BYTES

} // namespace std
