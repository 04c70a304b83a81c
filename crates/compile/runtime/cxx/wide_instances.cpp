// The library's own instances of streams and facets, for `wchar_t`.

#include "common.h"

#define REFRAIN_CHAR wchar_t
#include "instances.h"

namespace std {

template wistream &operator>>(wistream &, wstring &);
template wostream &operator<<(wostream &, char);
template wostream &operator<<(wostream &, const char *);

} // namespace std
