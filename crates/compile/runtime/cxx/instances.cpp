// The library's own instances of streams and facets, for `char`.

#include "common.h"

#define REFRAIN_CHAR char
#include "instances.h"

namespace std {

template istream &operator>>(istream &, unsigned char &);
template istream &operator>>(istream &, signed char &);
template ostream &operator<<(ostream &, unsigned char);
template ostream &operator<<(ostream &, signed char);
template ostream &operator<<(ostream &, const unsigned char *);
template ostream &operator<<(ostream &, const signed char *);

} // namespace std
