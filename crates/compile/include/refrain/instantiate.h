/* Included in front of every C++ source: libstdc++ keeps common instances of its templates, std::string first
   of all, in a library that is not there when bitcode runs; without its promise the compiler makes them itself. */
#if defined(__cplusplus) && defined(__has_include)
#if __has_include(<bits/c++config.h>)
#include <bits/c++config.h>
#undef _GLIBCXX_EXTERN_TEMPLATE
#define _GLIBCXX_EXTERN_TEMPLATE 0
#endif
#endif
