// Locales: there is one, "C" (also called "POSIX"), with its facets for `char`, and whatever a program makes of it
// by replacing facets with its own. The facets for wide characters are in wide.cpp.

#include "common.h"

#include <errno.h>
#include <limits>
#include <locale>
#include <stdlib.h>
#include <string.h>
#include <time.h>

// ---------------------------------------------------------------------------------------------------------
// Numbers and times of the C library

// Every locale of the C library is the same: there is nothing to change to.
extern "C" locale_t __uselocale(locale_t) { return LC_GLOBAL_LOCALE; }

namespace std {

const char *__num_base::_S_atoms_out = "-+xX0123456789abcdef0123456789ABCDEF";
const char *__num_base::_S_atoms_in = "-+xX0123456789abcdefABCDEF";

void __num_base::_S_format_float(const ios_base &io, char *to, char length) noexcept {
    const ios_base::fmtflags flags = io.flags();
    const ios_base::fmtflags field = flags & ios_base::floatfield;
    const bool upper = flags & ios_base::uppercase;
    const bool hexadecimal = field == (ios_base::fixed | ios_base::scientific);
    *to++ = '%';
    if (flags & ios_base::showpos)
        *to++ = '+';
    if (flags & ios_base::showpoint)
        *to++ = '#';
    if (!hexadecimal) {
        *to++ = '.';
        *to++ = '*';
    }
    if (length)
        *to++ = length;
    char kind = 'g';
    if (hexadecimal)
        kind = 'a';
    else if (field == ios_base::fixed)
        kind = 'f';
    else if (field == ios_base::scientific)
        kind = 'e';
    *to++ = upper ? char(kind - 'a' + 'A') : kind;
    *to = 0;
}

/// Whether the groups that were found, the leftmost first, are those asked for, the rightmost first.
bool __verify_grouping(const char *wanted, size_t wanted_size, const string &found) noexcept {
    const size_t last = wanted_size - 1;
    size_t at = found.size() - 1;
    for (size_t i = 0; at > 0; --at) {
        if (found[at] != wanted[i])
            return false;
        if (i < last)
            ++i;
    }
    const size_t leftmost = min(found.size() - 1, last);
    const signed char limit = wanted[leftmost];
    return limit <= 0 || limit == __gnu_cxx::__numeric_traits<char>::__max || found[0] <= wanted[leftmost];
}

namespace {

/// What a stream makes of a number's text: all of it is the number, or nothing is.
template <class T> void convert(const char *text, T &value, ios_base::iostate &state, T (*parse)(const char *, char **)) {
    char *end;
    value = parse(text, &end);
    if (end == text || *end != 0) {
        value = 0;
        state = ios_base::failbit;
    } else if (value == numeric_limits<T>::infinity()) {
        value = numeric_limits<T>::max();
        state = ios_base::failbit;
    } else if (value == -numeric_limits<T>::infinity()) {
        value = -numeric_limits<T>::max();
        state = ios_base::failbit;
    }
}

} // namespace

template <>
void __convert_to_v(const char *text, float &value, ios_base::iostate &state, const __c_locale &) noexcept {
    convert(text, value, state, strtof);
}
template <>
void __convert_to_v(const char *text, double &value, ios_base::iostate &state, const __c_locale &) noexcept {
    convert(text, value, state, strtod);
}
template <>
void __convert_to_v(const char *text, long double &value, ios_base::iostate &state, const __c_locale &) noexcept {
    convert(text, value, state, strtold);
}

const char *money_base::_S_atoms = "-0123456789";
const money_base::pattern money_base::_S_default_pattern = {{symbol, sign, none, value}};

/// The pattern for what `localeconv` says: whether the symbol comes first, is set apart, and where the sign is.
money_base::pattern money_base::_S_construct_pattern(char precedes, char space, char sign_place) noexcept {
    const part first = precedes ? symbol : value;
    const part second = precedes ? value : symbol;
    const part gap = space ? part(money_base::space) : none;
    pattern made;
    const auto fill = [&](part a, part b, part c, part d) {
        // Nothing stands last, never a space.
        made.field[0] = char(a);
        made.field[1] = char(b);
        made.field[2] = char(c);
        made.field[3] = char(d);
    };
    switch (sign_place) {
    case 0:
    case 1:
        space ? fill(sign, first, gap, second) : fill(sign, first, second, none);
        break;
    case 2:
        space ? fill(first, gap, second, sign) : fill(first, second, sign, none);
        break;
    case 3:
        if (precedes)
            space ? fill(sign, symbol, gap, value) : fill(sign, symbol, value, none);
        else
            space ? fill(value, gap, sign, symbol) : fill(value, sign, symbol, none);
        break;
    case 4:
        if (precedes)
            space ? fill(symbol, sign, gap, value) : fill(symbol, sign, value, none);
        else
            space ? fill(value, gap, symbol, sign) : fill(value, symbol, sign, none);
        break;
    default:
        made = pattern();
    }
    return made;
}

template <>
void __timepunct<char>::_M_put(char *to, size_t room, const char *format, const tm *time) const noexcept {
    if (strftime(to, room, format, time) == 0 && room > 0)
        *to = 0;
}

#if _GLIBCXX_RELEASE >= 12
namespace {

bool is_leap(int year) { return (year % 4 == 0 && year % 100 != 0) || year % 400 == 0; }

/// Days of the year before a month.
int before_month(int year, int month) {
    static const short days[] = {0, 31, 59, 90, 120, 151, 181, 212, 243, 273, 304, 334, 365};
    return days[month] + (month > 1 && is_leap(year));
}

/// The weekday of the first of January.
int first_weekday(int year) {
    const int before = year - 1;
    return (1 + 365 * (before % 400) + before % 400 / 4 - before % 400 / 100) % 7;
}

} // namespace

/// Works out what several conversions of one format say together.
void __time_get_state::_M_finalize_state(tm *time) {
    if (_M_have_I && _M_is_pm)
        time->tm_hour += 12;
    if (_M_have_century) {
        time->tm_year = _M_want_century ? time->tm_year % 100 : 0;
        time->tm_year += (_M_century - 19) * 100;
    }
    const int year = time->tm_year + 1900;
    const auto from_day_of_year = [&] {
        int month = 0;
        while (month < 11 && before_month(year, month + 1) <= time->tm_yday)
            ++month;
        if (!_M_have_mon)
            time->tm_mon = month;
        if (!_M_have_mday)
            time->tm_mday = time->tm_yday - before_month(year, month) + 1;
        _M_have_mon = _M_have_mday = 1;
    };
    if (_M_want_xday && !_M_have_wday) {
        if (!(_M_have_mon && _M_have_mday) && _M_have_yday)
            from_day_of_year();
        // A month that never was is left alone.
        if (unsigned(time->tm_mon) < 12)
            time->tm_wday = (first_weekday(year) + before_month(year, time->tm_mon) + time->tm_mday - 1) % 7;
    }
    if (_M_want_xday && !_M_have_yday && (_M_have_mon || _M_have_mday) && unsigned(time->tm_mon) < 12)
        time->tm_yday = before_month(year, time->tm_mon) + time->tm_mday - 1;
    if ((_M_have_uweek || _M_have_wweek) && _M_have_wday) {
        const int offset = _M_have_wweek ? 1 : 0;
        const int first = first_weekday(year);
        const int known_wday = time->tm_wday;
        if (!_M_have_yday)
            time->tm_yday = (7 - (first - offset)) % 7 + (int(_M_week_no) - 1) * 7 + (known_wday - offset + 7) % 7;
        if (!_M_have_mday || !_M_have_mon)
            from_day_of_year();
    }
}
#endif

} // namespace std

// ---------------------------------------------------------------------------------------------------------
// Characters

namespace std {

namespace {

struct Tables {
    ctype_base::mask masks[256];
    int upper[256];
    int lower[256];

    constexpr Tables() : masks(), upper(), lower() {
        for (int c = 0; c < 256; ++c) {
            const bool is_upper = 'A' <= c && c <= 'Z', is_lower = 'a' <= c && c <= 'z';
            const bool is_digit = '0' <= c && c <= '9';
            const bool is_hex = is_digit || ('A' <= c && c <= 'F') || ('a' <= c && c <= 'f');
            const bool is_graphic = 0x21 <= c && c <= 0x7e;
            unsigned mask = 0;
            mask |= is_upper ? ctype_base::upper | ctype_base::alpha : 0;
            mask |= is_lower ? ctype_base::lower | ctype_base::alpha : 0;
            mask |= is_digit ? ctype_base::digit : 0;
            mask |= is_hex ? ctype_base::xdigit : 0;
            mask |= c == ' ' || (9 <= c && c <= 13) ? ctype_base::space : 0;
            mask |= c == ' ' || c == '\t' ? ctype_base::blank : 0;
            mask |= c == ' ' || is_graphic ? ctype_base::print : 0;
            mask |= c < 0x20 || c == 0x7f ? ctype_base::cntrl : 0;
            mask |= is_graphic && !is_upper && !is_lower && !is_digit ? ctype_base::punct : 0;
            // The C library's own tables also have a bit for each sum.
            mask |= is_graphic ? _ISgraph : 0;
            mask |= is_upper || is_lower || is_digit ? _ISalnum : 0;
            masks[c] = ctype_base::mask(mask);
            upper[c] = is_lower ? c - 32 : c;
            lower[c] = is_upper ? c + 32 : c;
        }
    }
};

constexpr Tables tables;

} // namespace

locale::id ctype<char>::id;
const size_t ctype<char>::table_size;

const ctype<char>::mask *ctype<char>::classic_table() noexcept { return tables.masks; }

ctype<char>::ctype(const mask *table, bool owns, size_t references)
    : facet(references), _M_c_locale_ctype(_S_get_c_locale()), _M_del(table && owns), _M_toupper(tables.upper),
      _M_tolower(tables.lower), _M_table(table ? table : tables.masks), _M_widen_ok(0), _M_widen(), _M_narrow(),
      _M_narrow_ok(0) {}
ctype<char>::ctype(__c_locale, const mask *table, bool owns, size_t references) : ctype(table, owns, references) {}
ctype<char>::~ctype() {
    if (_M_del)
        delete[] table();
}
char ctype<char>::do_toupper(char c) const { return char(_M_toupper[static_cast<unsigned char>(c)]); }
const char *ctype<char>::do_toupper(char *at, const char *end) const {
    for (; at < end; ++at)
        *at = char(_M_toupper[static_cast<unsigned char>(*at)]);
    return end;
}
char ctype<char>::do_tolower(char c) const { return char(_M_tolower[static_cast<unsigned char>(c)]); }
const char *ctype<char>::do_tolower(char *at, const char *end) const {
    for (; at < end; ++at)
        *at = char(_M_tolower[static_cast<unsigned char>(*at)]);
    return end;
}
// 1 says that nothing is converted, 2 that a derived class does.
void ctype<char>::_M_widen_init() const {
    char all[sizeof _M_widen];
    for (size_t i = 0; i < sizeof all; ++i)
        all[i] = char(i);
    do_widen(all, all + sizeof all, _M_widen);
    _M_widen_ok = memcmp(all, _M_widen, sizeof all) ? 2 : 1;
}
void ctype<char>::_M_narrow_init() const {
    char all[sizeof _M_narrow];
    for (size_t i = 0; i < sizeof all; ++i)
        all[i] = char(i);
    do_narrow(all, all + sizeof all, 0, _M_narrow);
    _M_narrow_ok = 1;
    if (memcmp(all, _M_narrow, sizeof all)) {
        _M_narrow_ok = 2;
    } else {
        // A zero may also be what stands for a character that has no narrow form.
        char one;
        do_narrow(all, all + 1, 1, &one);
        if (one == 1)
            _M_narrow_ok = 2;
    }
}

ctype_byname<char>::ctype_byname(const char *name, size_t references) : ctype<char>(nullptr, false, references) {
    if (strcmp(name, "C") && strcmp(name, "POSIX"))
        _S_create_c_locale(_M_c_locale_ctype, name);
}
ctype_byname<char>::ctype_byname(const string &name, size_t references) : ctype_byname(name.c_str(), references) {}
ctype_byname<char>::~ctype_byname() {}

locale::id codecvt<char, char, mbstate_t>::id;
codecvt<char, char, mbstate_t>::codecvt(size_t references)
    : __codecvt_abstract_base<char, char, mbstate_t>(references), _M_c_locale_codecvt(_S_get_c_locale()) {}
codecvt<char, char, mbstate_t>::codecvt(__c_locale, size_t references) : codecvt(references) {}
codecvt<char, char, mbstate_t>::~codecvt() {}
codecvt_base::result codecvt<char, char, mbstate_t>::do_out(mbstate_t &, const char *from, const char *,
                                                            const char *&from_next, char *to, char *,
                                                            char *&to_next) const {
    from_next = from;
    to_next = to;
    return noconv;
}
codecvt_base::result codecvt<char, char, mbstate_t>::do_unshift(mbstate_t &, char *to, char *, char *&to_next) const {
    to_next = to;
    return noconv;
}
codecvt_base::result codecvt<char, char, mbstate_t>::do_in(mbstate_t &, const char *from, const char *,
                                                           const char *&from_next, char *to, char *,
                                                           char *&to_next) const {
    from_next = from;
    to_next = to;
    return noconv;
}
int codecvt<char, char, mbstate_t>::do_encoding() const noexcept { return 1; }
bool codecvt<char, char, mbstate_t>::do_always_noconv() const noexcept { return true; }
int codecvt<char, char, mbstate_t>::do_length(mbstate_t &, const char *from, const char *end, size_t most) const {
    return int(min(most, size_t(end - from)));
}
int codecvt<char, char, mbstate_t>::do_max_length() const noexcept { return 1; }

} // namespace std

#define REFRAIN_CHAR char
#define REFRAIN_TEXT(literal) literal
#define REFRAIN_CTYPE new std::ctype<char>(nullptr, false, 1)
#include "facets.h"

// ---------------------------------------------------------------------------------------------------------
// Locales

extern "C" __attribute__((weak)) void __refrain_wide_facets(std::Install with, void *to);

namespace std {

__c_locale locale::facet::_S_c_locale;
const char locale::facet::_S_c_name[2] = "C";
locale::facet::~facet() {}
const char *locale::facet::_S_get_c_name() noexcept { return _S_c_name; }
__c_locale locale::facet::_S_get_c_locale() { return LC_GLOBAL_LOCALE; }
void locale::facet::_S_create_c_locale(__c_locale &made, const char *name, __c_locale) {
    if (strcmp(name, "C") && strcmp(name, "POSIX") && *name)
        __throw_runtime_error("locale::facet::_S_create_c_locale name not valid");
    made = LC_GLOBAL_LOCALE;
}
__c_locale locale::facet::_S_clone_c_locale(__c_locale &) noexcept { return LC_GLOBAL_LOCALE; }
void locale::facet::_S_destroy_c_locale(__c_locale &) {}
__c_locale locale::facet::_S_lc_ctype_c_locale(__c_locale, const char *) { return LC_GLOBAL_LOCALE; }

_Atomic_word locale::id::_S_refcount;
size_t locale::id::_M_id() const noexcept {
    if (_M_index == 0)
        _M_index = size_t(++_S_refcount);
    return _M_index - 1;
}

locale::_Impl *locale::_S_classic;
locale::_Impl *locale::_S_global;
const locale::category locale::none;
const locale::category locale::ctype;
const locale::category locale::numeric;
const locale::category locale::collate;
const locale::category locale::time;
const locale::category locale::monetary;
const locale::category locale::messages;
const locale::category locale::all;

namespace {

char *copied(const char *name) {
    char *copy = new char[strlen(name) + 1];
    strcpy(copy, name);
    return copy;
}

/// The categories, in the order in which a locale's name lists them, with the facets that each has.
const char *const category_names[] = {"LC_CTYPE",       "LC_NUMERIC", "LC_TIME",    "LC_COLLATE",
                                      "LC_MONETARY",    "LC_MESSAGES", "LC_PAPER",  "LC_NAME",
                                      "LC_ADDRESS",     "LC_TELEPHONE", "LC_MEASUREMENT", "LC_IDENTIFICATION"};
const locale::category categories[] = {locale::ctype,   locale::numeric,  locale::time,
                                       locale::collate, locale::monetary, locale::messages};

} // namespace

const char *const *const locale::_S_categories = category_names;

/// The classic locale.
locale::_Impl::_Impl(size_t references) noexcept
    : _M_refcount(int(references)), _M_facets(nullptr), _M_facets_size(64), _M_caches(nullptr), _M_names(nullptr) {
    _M_facets = new const facet *[_M_facets_size]();
    _M_caches = new const facet *[_M_facets_size]();
    _M_names = new char *[_S_categories_size]();
    _M_names[0] = copied("C");
    const Install with = [](void *to, const locale::id *id, const facet *facet) {
        static_cast<_Impl *>(to)->_M_install_facet(id, facet);
    };
    install_facets(with, this);
    if (__refrain_wide_facets)
        __refrain_wide_facets(with, this);
}

locale::_Impl::_Impl(const _Impl &other, size_t references)
    : _M_refcount(int(references)), _M_facets(nullptr), _M_facets_size(other._M_facets_size), _M_caches(nullptr),
      _M_names(nullptr) {
    _M_facets = new const facet *[_M_facets_size]();
    _M_caches = new const facet *[_M_facets_size]();
    _M_names = new char *[_S_categories_size]();
    for (size_t i = 0; i < _M_facets_size; ++i) {
        if ((_M_facets[i] = other._M_facets[i]))
            _M_facets[i]->_M_add_reference();
        if ((_M_caches[i] = other._M_caches[i]))
            _M_caches[i]->_M_add_reference();
    }
    for (size_t i = 0; i < _S_categories_size && other._M_names[i]; ++i)
        _M_names[i] = copied(other._M_names[i]);
}

locale::_Impl::~_Impl() noexcept {
    for (size_t i = 0; i < _M_facets_size; ++i) {
        if (_M_facets[i])
            _M_facets[i]->_M_remove_reference();
        if (_M_caches[i])
            _M_caches[i]->_M_remove_reference();
    }
    for (size_t i = 0; i < _S_categories_size; ++i)
        delete[] _M_names[i];
    delete[] _M_facets;
    delete[] _M_caches;
    delete[] _M_names;
}

void locale::_Impl::_M_install_facet(const locale::id *id, const facet *facet) {
    if (!facet)
        return;
    const size_t index = id->_M_id();
    if (index >= _M_facets_size) {
        const size_t size = index + 8;
        const locale::facet **facets = new const locale::facet *[size]();
        const locale::facet **caches = new const locale::facet *[size]();
        for (size_t i = 0; i < _M_facets_size; ++i) {
            facets[i] = _M_facets[i];
            caches[i] = _M_caches[i];
        }
        delete[] _M_facets;
        delete[] _M_caches;
        _M_facets = facets;
        _M_caches = caches;
        _M_facets_size = size;
    }
    facet->_M_add_reference();
    if (_M_facets[index])
        _M_facets[index]->_M_remove_reference();
    _M_facets[index] = facet;
    // What was derived from the facets is out of date, whichever it was derived from.
    for (size_t i = 0; i < _M_facets_size; ++i)
        if (_M_caches[i]) {
            _M_caches[i]->_M_remove_reference();
            _M_caches[i] = nullptr;
        }
}

void locale::_Impl::_M_install_cache(const facet *cache, size_t index) {
    if (_M_caches[index]) {
        delete cache;
        return;
    }
    cache->_M_add_reference();
    _M_caches[index] = cache;
}

void locale::_Impl::_M_replace_facet(const _Impl *other, const locale::id *id) {
    const size_t index = id->_M_id();
    if (index >= other->_M_facets_size || !other->_M_facets[index])
        __throw_runtime_error("locale::_Impl::_M_replace_facet");
    _M_install_facet(id, other->_M_facets[index]);
}

void locale::_Impl::_M_replace_category(const _Impl *other, const locale::id *const *ids) {
    for (; *ids; ++ids)
        _M_replace_facet(other, *ids);
}

// Wide facets are replaced where there are any: their ids are those of the program.
const locale::id *const locale::_Impl::_S_id_ctype[] = {&std::ctype<char>::id, &codecvt<char, char, mbstate_t>::id,
                                                        nullptr};
const locale::id *const locale::_Impl::_S_id_numeric[] = {&num_get<char>::id, &num_put<char>::id, &numpunct<char>::id,
                                                          nullptr};
const locale::id *const locale::_Impl::_S_id_collate[] = {&std::collate<char>::id, nullptr};
const locale::id *const locale::_Impl::_S_id_time[] = {&__timepunct<char>::id, &time_get<char>::id,
                                                       &time_put<char>::id, nullptr};
const locale::id *const locale::_Impl::_S_id_monetary[] = {&money_get<char>::id, &money_put<char>::id,
                                                           &moneypunct<char, false>::id, &moneypunct<char, true>::id,
                                                           nullptr};
const locale::id *const locale::_Impl::_S_id_messages[] = {&std::messages<char>::id, nullptr};
const locale::id *const *const locale::_Impl::_S_facet_categories[] = {
    _S_id_ctype, _S_id_numeric, _S_id_time, _S_id_collate, _S_id_monetary, _S_id_messages, nullptr};

void locale::_Impl::_M_replace_categories(const _Impl *other, category which) {
    // A locale without a name stays without.
    const bool named = _M_names[0] && other->_M_names[0];
    const auto own_name = [](const _Impl *impl, size_t category) {
        return impl->_M_names[1] ? impl->_M_names[category] : impl->_M_names[0];
    };
    char *names[_S_categories_size] = {};
    for (size_t i = 0; named && i < _S_categories_size; ++i) {
        const bool replaced = i < 6 && (which & categories[i]);
        names[i] = copied(own_name(replaced ? other : this, i));
    }
    for (size_t i = 0; i < 6; ++i)
        if (which & categories[i])
            _M_replace_category(other, _S_facet_categories[i]);
    for (size_t i = 0; i < _S_categories_size; ++i) {
        delete[] _M_names[i];
        _M_names[i] = names[i];
    }
    if (named && _M_check_same_name())
        for (size_t i = 1; i < _S_categories_size; ++i) {
            delete[] _M_names[i];
            _M_names[i] = nullptr;
        }
}

void locale::_S_initialize_once() noexcept {
    alignas(_Impl) static char classic[sizeof(_Impl)];
    // One reference is nobody's, so that it is never destroyed.
    _S_classic = new (classic) _Impl(2);
    _S_global = _S_classic;
}

void locale::_S_initialize() {
    if (!_S_classic)
        _S_initialize_once();
}

const locale &locale::classic() {
    alignas(locale) static char place[sizeof(locale)];
    _S_initialize();
    static const locale *classic = new (place) locale(_S_classic);
    return *classic;
}

locale::category locale::_S_normalize_category(category which) {
    if (which == none || ((which & all) && !(which & ~all)))
        return which;
    // The numbers that the C library has for them are taken too.
    switch (which) {
    case LC_COLLATE:
        return collate;
    case LC_CTYPE:
        return ctype;
    case LC_MONETARY:
        return monetary;
    case LC_NUMERIC:
        return numeric;
    case LC_TIME:
        return time;
    case LC_MESSAGES:
        return messages;
    case LC_ALL:
        return all;
    default:
        __throw_runtime_error("locale::_S_normalize_category category not found");
    }
}

locale::locale(_Impl *impl) noexcept : _M_impl(impl) { _M_impl->_M_add_reference(); }
locale::locale() noexcept : _M_impl(nullptr) {
    _S_initialize();
    _M_impl = _S_global;
    _M_impl->_M_add_reference();
}
locale::locale(const locale &other) noexcept : _M_impl(other._M_impl) { _M_impl->_M_add_reference(); }
locale::locale(const char *name) : _M_impl(nullptr) {
    if (!name)
        __throw_runtime_error("locale::locale null not valid");
    _S_initialize();
    __c_locale made;
    facet::_S_create_c_locale(made, name);
    _M_impl = _S_classic;
    _M_impl->_M_add_reference();
}
locale::locale(const locale &base, const char *name, category which) : _M_impl(nullptr) {
    const locale named(name);
    _M_coalesce(base, named, which);
}
locale::locale(const locale &base, const locale &other, category which) : _M_impl(nullptr) {
    _M_coalesce(base, other, which);
}
locale::~locale() noexcept { _M_impl->_M_remove_reference(); }
const locale &locale::operator=(const locale &other) noexcept {
    other._M_impl->_M_add_reference();
    _M_impl->_M_remove_reference();
    _M_impl = other._M_impl;
    return *this;
}

void locale::_M_coalesce(const locale &base, const locale &other, category which) {
    which = _S_normalize_category(which);
    _M_impl = new _Impl(*base._M_impl, 1);
    try {
        _M_impl->_M_replace_categories(other._M_impl, which);
    } catch (...) {
        _M_impl->_M_remove_reference();
        throw;
    }
}

bool locale::operator==(const locale &other) const noexcept {
    if (_M_impl == other._M_impl)
        return true;
    if (!_M_impl->_M_names[0] || !other._M_impl->_M_names[0])
        return false;
    return name() == other.name();
}

string locale::name() const {
    if (!_M_impl->_M_names[0])
        return "*";
    if (_M_impl->_M_check_same_name())
        return _M_impl->_M_names[0];
    string name;
    for (size_t i = 0; i < _S_categories_size; ++i) {
        if (i)
            name += ';';
        name += category_names[i];
        name += '=';
        name += _M_impl->_M_names[i];
    }
    return name;
}

locale locale::global(const locale &other) {
    _S_initialize();
    _Impl *before = _S_global;
    other._M_impl->_M_add_reference();
    _S_global = other._M_impl;
    const string name = other.name();
    if (name != "*")
        setlocale(LC_ALL, name.c_str());
    // The reference of the one before becomes the result's.
    const locale result(before);
    before->_M_remove_reference();
    return result;
}

} // namespace std
