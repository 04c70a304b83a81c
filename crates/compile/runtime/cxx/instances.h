// The instances of the library's templates for one type of characters, `REFRAIN_CHAR`, that its headers promise to be
// there: for bitcode that was compiled without Refrain's own header, which takes that promise back.

#include <bits/cxxabi_forced.h>
#include <fstream>
#include <iomanip>
#include <istream>
#include <locale>
#include <ostream>
#include <sstream>
#include <string>

namespace std {

typedef basic_istream<REFRAIN_CHAR> In;
typedef basic_ostream<REFRAIN_CHAR> Out;
typedef basic_string<REFRAIN_CHAR> String;

template class basic_ios<REFRAIN_CHAR>;
template class basic_streambuf<REFRAIN_CHAR>;
template class basic_istream<REFRAIN_CHAR>;
template class basic_ostream<REFRAIN_CHAR>;
template class basic_iostream<REFRAIN_CHAR>;
template class basic_stringbuf<REFRAIN_CHAR>;
template class basic_istringstream<REFRAIN_CHAR>;
template class basic_ostringstream<REFRAIN_CHAR>;
template class basic_stringstream<REFRAIN_CHAR>;
template class basic_filebuf<REFRAIN_CHAR>;
template class basic_ifstream<REFRAIN_CHAR>;
template class basic_ofstream<REFRAIN_CHAR>;
template class basic_fstream<REFRAIN_CHAR>;
template streamsize __copy_streambufs(basic_streambuf<REFRAIN_CHAR> *, basic_streambuf<REFRAIN_CHAR> *);

template In &ws(In &);
template In &operator>>(In &, REFRAIN_CHAR &);
template In &In::_M_extract(unsigned short &);
template In &In::_M_extract(unsigned &);
template In &In::_M_extract(long &);
template In &In::_M_extract(unsigned long &);
template In &In::_M_extract(bool &);
template In &In::_M_extract(long long &);
template In &In::_M_extract(unsigned long long &);
template In &In::_M_extract(float &);
template In &In::_M_extract(double &);
template In &In::_M_extract(long double &);
template In &In::_M_extract(void *&);

template Out &endl(Out &);
template Out &ends(Out &);
template Out &flush(Out &);
template Out &operator<<(Out &, REFRAIN_CHAR);
template Out &operator<<(Out &, const REFRAIN_CHAR *);
template Out &Out::_M_insert(long);
template Out &Out::_M_insert(unsigned long);
template Out &Out::_M_insert(bool);
template Out &Out::_M_insert(long long);
template Out &Out::_M_insert(unsigned long long);
template Out &Out::_M_insert(double);
template Out &Out::_M_insert(long double);
template Out &Out::_M_insert(const void *);
template Out &__ostream_insert(Out &, const REFRAIN_CHAR *, streamsize);
template Out &operator<<(Out &, const String &);
template In &getline(In &, String &);

#define REFRAIN_MANIPULATOR(type)                                                                                    \
    template Out &operator<<(Out &, type);                                                                           \
    template In &operator>>(In &, type);
REFRAIN_MANIPULATOR(_Setfill<REFRAIN_CHAR>)
REFRAIN_MANIPULATOR(_Setiosflags)
REFRAIN_MANIPULATOR(_Resetiosflags)
REFRAIN_MANIPULATOR(_Setbase)
REFRAIN_MANIPULATOR(_Setprecision)
REFRAIN_MANIPULATOR(_Setw)

#define REFRAIN_FACET(...)                                                                                           \
    template const __VA_ARGS__ &use_facet<__VA_ARGS__>(const locale &);                                              \
    template bool has_facet<__VA_ARGS__>(const locale &);
template class collate<REFRAIN_CHAR>;
template class collate_byname<REFRAIN_CHAR>;
template class numpunct<REFRAIN_CHAR>;
template class numpunct_byname<REFRAIN_CHAR>;
template class num_get<REFRAIN_CHAR>;
template class num_put<REFRAIN_CHAR>;
template class moneypunct<REFRAIN_CHAR, false>;
template class moneypunct<REFRAIN_CHAR, true>;
template class moneypunct_byname<REFRAIN_CHAR, false>;
template class moneypunct_byname<REFRAIN_CHAR, true>;
template class money_get<REFRAIN_CHAR>;
template class money_put<REFRAIN_CHAR>;
template class __timepunct<REFRAIN_CHAR>;
template class time_put<REFRAIN_CHAR>;
template class time_put_byname<REFRAIN_CHAR>;
template class time_get<REFRAIN_CHAR>;
template class time_get_byname<REFRAIN_CHAR>;
template class messages<REFRAIN_CHAR>;
template class messages_byname<REFRAIN_CHAR>;
REFRAIN_FACET(collate<REFRAIN_CHAR>)
REFRAIN_FACET(ctype<REFRAIN_CHAR>)
REFRAIN_FACET(codecvt<REFRAIN_CHAR, char, mbstate_t>)
REFRAIN_FACET(numpunct<REFRAIN_CHAR>)
REFRAIN_FACET(num_put<REFRAIN_CHAR>)
REFRAIN_FACET(num_get<REFRAIN_CHAR>)
REFRAIN_FACET(moneypunct<REFRAIN_CHAR, false>)
REFRAIN_FACET(moneypunct<REFRAIN_CHAR, true>)
REFRAIN_FACET(money_put<REFRAIN_CHAR>)
REFRAIN_FACET(money_get<REFRAIN_CHAR>)
REFRAIN_FACET(__timepunct<REFRAIN_CHAR>)
REFRAIN_FACET(time_put<REFRAIN_CHAR>)
REFRAIN_FACET(time_get<REFRAIN_CHAR>)
REFRAIN_FACET(messages<REFRAIN_CHAR>)

} // namespace std
