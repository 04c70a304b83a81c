// What all parts of the runtime begin with.

#include <bits/c++config.h>

#ifndef __GLIBCXX__
#error "Refrain's C++ runtime is made for the headers of libstdc++; leave out -stdlib=libc++"
#endif

#if !_GLIBCXX_USE_CXX11_ABI
#error "Streams, locales, threads and files are for libstdc++'s current strings; leave out -D_GLIBCXX_USE_CXX11_ABI=0"
#endif
