// Wide characters: the facets of the classic locale and the standard streams for them. As in the C library's "C"
// locale, the characters are those of ASCII: no other has a class, a case or a form as a byte.

#include "common.h"

#include <bits/cxxabi_forced.h>
#include <cxxabi.h>
#include <ext/stdio_filebuf.h>
#include <ext/stdio_sync_filebuf.h>
#include <fstream>
#include <istream>
#include <locale>
#include <ostream>
#include <stdio.h>
#include <time.h>

// ---------------------------------------------------------------------------------------------------------
// Characters

namespace std {

namespace {

bool is_ascii(wchar_t c) { return static_cast<unsigned>(c) < 128; }

} // namespace

locale::id ctype<wchar_t>::id;
ctype<wchar_t>::ctype(size_t references)
    : __ctype_abstract_base<wchar_t>(references), _M_c_locale_ctype(_S_get_c_locale()), _M_narrow_ok(false) {
    _M_initialize_ctype();
}
ctype<wchar_t>::ctype(__c_locale, size_t references) : ctype(references) {}
ctype<wchar_t>::~ctype() {}

void ctype<wchar_t>::_M_initialize_ctype() noexcept {
    for (int c = 0; c < 128; ++c)
        _M_narrow[c] = char(c);
    _M_narrow_ok = true;
    for (int c = 0; c < 256; ++c)
        _M_widen[c] = c < 128 ? wint_t(c) : WEOF;
    for (int bit = 0; bit < 16; ++bit) {
        _M_bit[bit] = mask(1 << bit);
        _M_wmask[bit] = _M_convert_to_wmask(_M_bit[bit]);
    }
}

// A class of wide characters is known by its mask.
ctype<wchar_t>::__wmask_type ctype<wchar_t>::_M_convert_to_wmask(const mask kinds) const noexcept { return kinds; }

bool ctype<wchar_t>::do_is(mask kinds, wchar_t c) const {
    return is_ascii(c) && (ctype<char>::classic_table()[c & 127] & kinds) != 0;
}
const wchar_t *ctype<wchar_t>::do_is(const wchar_t *at, const wchar_t *end, mask *to) const {
    for (; at < end; ++at)
        *to++ = is_ascii(*at) ? ctype<char>::classic_table()[*at] : mask();
    return end;
}
const wchar_t *ctype<wchar_t>::do_scan_is(mask kinds, const wchar_t *at, const wchar_t *end) const {
    while (at < end && !do_is(kinds, *at))
        ++at;
    return at;
}
const wchar_t *ctype<wchar_t>::do_scan_not(mask kinds, const wchar_t *at, const wchar_t *end) const {
    while (at < end && do_is(kinds, *at))
        ++at;
    return at;
}
wchar_t ctype<wchar_t>::do_toupper(wchar_t c) const { return c - (unsigned(c - L'a') < 26u) * 32; }
const wchar_t *ctype<wchar_t>::do_toupper(wchar_t *at, const wchar_t *end) const {
    for (; at < end; ++at)
        *at = ctype<wchar_t>::do_toupper(*at);
    return end;
}
wchar_t ctype<wchar_t>::do_tolower(wchar_t c) const { return c + (unsigned(c - L'A') < 26u) * 32; }
const wchar_t *ctype<wchar_t>::do_tolower(wchar_t *at, const wchar_t *end) const {
    for (; at < end; ++at)
        *at = ctype<wchar_t>::do_tolower(*at);
    return end;
}
wchar_t ctype<wchar_t>::do_widen(char c) const { return wchar_t(_M_widen[static_cast<unsigned char>(c)]); }
const char *ctype<wchar_t>::do_widen(const char *at, const char *end, wchar_t *to) const {
    for (; at < end; ++at)
        *to++ = ctype<wchar_t>::do_widen(*at);
    return end;
}
char ctype<wchar_t>::do_narrow(wchar_t c, char otherwise) const { return is_ascii(c) ? char(c) : otherwise; }
const wchar_t *ctype<wchar_t>::do_narrow(const wchar_t *at, const wchar_t *end, char otherwise, char *to) const {
    for (; at < end; ++at)
        *to++ = ctype<wchar_t>::do_narrow(*at, otherwise);
    return end;
}

ctype_byname<wchar_t>::ctype_byname(const char *name, size_t references) : ctype<wchar_t>(references) {
    _S_create_c_locale(_M_c_locale_ctype, name);
}
ctype_byname<wchar_t>::ctype_byname(const string &name, size_t references) : ctype_byname(name.c_str(), references) {}
ctype_byname<wchar_t>::~ctype_byname() {}

typedef codecvt<wchar_t, char, mbstate_t> WideCodes;

locale::id WideCodes::id;
WideCodes::codecvt(size_t references)
    : __codecvt_abstract_base<wchar_t, char, mbstate_t>(references), _M_c_locale_codecvt(_S_get_c_locale()) {}
WideCodes::codecvt(__c_locale, size_t references) : codecvt(references) {}
WideCodes::~codecvt() {}
codecvt_base::result WideCodes::do_out(mbstate_t &, const wchar_t *from, const wchar_t *from_end,
                                       const wchar_t *&from_next, char *to, char *to_end, char *&to_next) const {
    while (from < from_end && to < to_end && is_ascii(*from))
        *to++ = char(*from++);
    from_next = from;
    to_next = to;
    if (from == from_end)
        return ok;
    return to == to_end ? partial : error;
}
codecvt_base::result WideCodes::do_unshift(mbstate_t &, char *to, char *, char *&to_next) const {
    to_next = to;
    return noconv;
}
codecvt_base::result WideCodes::do_in(mbstate_t &, const char *from, const char *from_end, const char *&from_next,
                                      wchar_t *to, wchar_t *to_end, wchar_t *&to_next) const {
    while (from < from_end && to < to_end && is_ascii(static_cast<unsigned char>(*from)))
        *to++ = wchar_t(*from++);
    from_next = from;
    to_next = to;
    if (from == from_end)
        return ok;
    return to == to_end ? partial : error;
}
int WideCodes::do_encoding() const noexcept { return 1; }
bool WideCodes::do_always_noconv() const noexcept { return false; }
int WideCodes::do_length(mbstate_t &, const char *from, const char *end, size_t most) const {
    size_t count = 0;
    while (from + count < end && count < most && is_ascii(static_cast<unsigned char>(from[count])))
        ++count;
    return int(count);
}
int WideCodes::do_max_length() const noexcept { return 1; }

template <>
void __timepunct<wchar_t>::_M_put(wchar_t *to, size_t room, const wchar_t *format, const tm *time) const noexcept {
    // By way of the narrow one: what is not ASCII stands for itself and is no conversion.
    string narrow;
    for (; *format; ++format)
        narrow += is_ascii(*format) ? char(*format) : '?';
    string text(room ? room : 1, 0);
    const size_t length = strftime(&text[0], room, narrow.c_str(), time);
    for (size_t i = 0; i < length; ++i)
        to[i] = wchar_t(static_cast<unsigned char>(text[i]));
    if (room > 0)
        to[length] = 0;
}

} // namespace std

#define REFRAIN_CHAR wchar_t
#define REFRAIN_TEXT(literal) L##literal
#define REFRAIN_CTYPE new std::ctype<wchar_t>(1)
#include "extraction.h"
#include "facets.h"

extern "C" void __refrain_wide_facets(std::Install with, void *to) { std::install_facets(with, to); }

// ---------------------------------------------------------------------------------------------------------
// The standard streams

#define REFRAIN_PLACE(type, name, symbol)                                                                            \
    extern char name[sizeof(type)] __asm__(symbol);                                                                  \
    alignas(type) char name[sizeof(type)];

REFRAIN_PLACE(std::wostream, refrain_wcout, "_ZSt5wcout")
REFRAIN_PLACE(std::wistream, refrain_wcin, "_ZSt4wcin")
REFRAIN_PLACE(std::wostream, refrain_wcerr, "_ZSt5wcerr")
REFRAIN_PLACE(std::wostream, refrain_wclog, "_ZSt5wclog")

namespace std {

namespace {

template <class T> T &at(char *place) { return *reinterpret_cast<T *>(place); }

typedef __gnu_cxx::stdio_sync_filebuf<wchar_t> Synced;
typedef __gnu_cxx::stdio_filebuf<wchar_t> Buffered;

alignas(Synced) char synced_out[sizeof(Synced)], synced_in[sizeof(Synced)], synced_error[sizeof(Synced)];
alignas(Buffered) char buffered_out[sizeof(Buffered)], buffered_in[sizeof(Buffered)], buffered_error[sizeof(Buffered)];

} // namespace

} // namespace std

/// What streams.cpp wants done with them: 0 make, 1 without stdio, 2 flush.
extern "C" void __refrain_wide_streams(int what) {
    using namespace std;
    switch (what) {
    case 0:
        new (synced_out) Synced(stdout);
        new (synced_in) Synced(stdin);
        new (synced_error) Synced(stderr);
        new (refrain_wcout) wostream(&at<Synced>(synced_out));
        new (refrain_wcin) wistream(&at<Synced>(synced_in));
        new (refrain_wcerr) wostream(&at<Synced>(synced_error));
        new (refrain_wclog) wostream(&at<Synced>(synced_error));
        at<wistream>(refrain_wcin).tie(&at<wostream>(refrain_wcout));
        at<wostream>(refrain_wcerr).setf(ios_base::unitbuf);
        at<wostream>(refrain_wcerr).tie(&at<wostream>(refrain_wcout));
        break;
    case 1:
        new (buffered_out) Buffered(stdout, ios_base::out);
        new (buffered_in) Buffered(stdin, ios_base::in);
        new (buffered_error) Buffered(stderr, ios_base::out);
        at<wostream>(refrain_wcout).rdbuf(&at<Buffered>(buffered_out));
        at<wistream>(refrain_wcin).rdbuf(&at<Buffered>(buffered_in));
        at<wostream>(refrain_wcerr).rdbuf(&at<Buffered>(buffered_error));
        at<wostream>(refrain_wclog).rdbuf(&at<Buffered>(buffered_error));
        break;
    default:
        at<wostream>(refrain_wcout).flush();
        at<wostream>(refrain_wcerr).flush();
        at<wostream>(refrain_wclog).flush();
    }
}
