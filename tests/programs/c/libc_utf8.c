/* Characters of several bytes, in C and in C.UTF-8. */
#define _GNU_SOURCE
#include <errno.h>
#include <langinfo.h>
#include <locale.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <wchar.h>

static const char *texts[] = {"plain", "gr\xc3\xbc\xc3\x9f", "\xe2\x82\xac and \xf0\x9f\x98\x80", "\xff", "cut \xe2\x82",
                              "\xc0\x80", "\xed\xa0\x80"};

static void convert(void) {
  printf("%s %zu\n", nl_langinfo(CODESET), MB_CUR_MAX);
  for (size_t t = 0; t < sizeof texts / sizeof *texts; t++) {
    const char *at = texts[t];
    size_t left = strlen(at) + 1;
    mbstate_t state;
    memset(&state, 0, sizeof state);
    for (;;) {
      wchar_t c = 0;
      errno = 0;
      size_t used = mbrtowc(&c, at, left, &state);
      printf("%zd:%x ", used, used > 4 ? 0 : (unsigned)c);
      if (used == 0 || used > 4)
        break;
      at += used, left -= used;
    }
    wchar_t wide[32];
    size_t count = mbstowcs(wide, texts[t], 32);
    printf("| %zd %zd", count, mbstowcs(NULL, texts[t], 0));
    if (count != (size_t)-1) {
      char back[32];
      size_t len = wcstombs(back, wide, sizeof back);
      printf(" %zu %s %ls|%.3ls|%lc", len, back, wide, wide, (wint_t)wide[0]);
    }
    printf("\n");
  }
  mbstate_t state;
  memset(&state, 0, sizeof state);
  wchar_t c = 0;
  printf("%zd ", mbrtowc(&c, "\xe2", 1, &state));
  printf("%d ", mbsinit(&state) != 0);
  printf("%zd ", mbrtowc(&c, "\x82\xac", 2, &state));
  printf("%x %d\n", (unsigned)c, mbsinit(&state) != 0);
  char out[8];
  printf("%zd %zd %zd\n", wcrtomb(out, 0x20ac, NULL), wcrtomb(out, 'x', NULL), wcrtomb(out, 0xd800, NULL));
}

int main(void) {
  convert();
  printf("%s\n", setlocale(LC_ALL, "no such locale") ? "there" : "none");
  printf("%s\n", setlocale(LC_CTYPE, "C.UTF-8"));
  printf("%s\n", setlocale(LC_ALL, NULL));
  convert();
  printf("%s\n", setlocale(LC_ALL, "C.UTF-8"));
  printf("%s %s\n", setlocale(LC_NUMERIC, NULL), setlocale(LC_ALL, NULL));
  printf("%s\n", setlocale(LC_ALL, "C"));
  convert();
  return 0;
}
