/* Wide formatted input, from strings and streams, in the C locale and in C.UTF-8. */
#define _GNU_SOURCE
#include <locale.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <wchar.h>
#include <wctype.h>

static int scan(const wchar_t *text, const wchar_t *format, ...) {
  va_list list;
  va_start(list, format);
  int done = vswscanf(text, format, list);
  va_end(list);
  return done;
}

static void bytes(const char *text) {
  for (; *text; text++)
    printf("%02x", (unsigned char)*text);
  printf(" ");
}

static void wides(const wchar_t *text) {
  for (; *text; text++)
    printf("%x.", (unsigned)*text);
  printf(" ");
}

static void strings(void) {
  int a = -1, b = -1, n = -1;
  unsigned u = 0;
  long l = 0;
  double d = 0;
  float f = 0;
  char text[32] = "", c[8] = "";
  wchar_t wide[32] = L"", w[8] = L"";
  printf("%d %d %d\n", swscanf(L" 12 -7x", L"%d %d%n", &a, &b, &n), a, b);
  printf("%d %d\n", n, swscanf(L"", L"%d", &a));
  printf("%d %x %ld\n", swscanf(L"0x1f 077 99", L"%x %o %ld", &u, &a, &l), u, l);
  printf("%d %g %g\n", swscanf(L"1.5e2 nan", L"%lf %f", &d, &f), d, f);
  printf("%d %s %s\n", swscanf(L"word another", L"%s %3s", text, c), text, c);
  printf("%d ", swscanf(L"wide string", L"%ls %l[a-s]", wide, w));
  wides(wide), wides(w), printf("\n");
  printf("%d %s\n", swscanf(L"abc-123", L"%*[a-z]-%[0-9]", text), text);
  printf("%d %s\n", swscanf(L"x]y", L"%[]x]", text), text);
  printf("%d %s\n", swscanf(L"pq rs", L"%[^ ]", text), text);
  printf("%d %.2s\n", swscanf(L"ab", L"%2c", text), text);
  printf("%d %x\n", swscanf(L"ab", L"%lc", wide), (unsigned)wide[0]);
  printf("%d %d\n", swscanf(L"50%", L"%d%%", &a), a);
  printf("%d %d\n", swscanf(L"k=5", L"k=%d", &a), a);
  printf("%d\n", swscanf(L"j=5", L"k=%d", &a));
  char *made = NULL;
  wchar_t *made_wide = NULL;
  printf("%d ", swscanf(L"made up", L"%ms %mls", &made, &made_wide));
  printf("%s ", made), wides(made_wide), printf("\n");
  free(made), free(made_wide);
  printf("%d %d %d\n", scan(L"3,4", L"%d,%d", &a, &b), a, b);
}

static void beyond(void) {
  char text[32] = "";
  wchar_t wide[32] = L"", rest[8] = L"";
  int n = 0;
  printf("%d ", swscanf(L"\u00e4\u20ac z", L"%ls %n", wide, &n));
  wides(wide), printf("%d\n", n);
  memset(text, 0, sizeof text);
  printf("%d ", swscanf(L"\u00e4\u20ac z", L"%s", text));
  bytes(text), printf("\n");
  printf("%d ", swscanf(L"\u00e4\u00f6x", L"%l[\u00e0-\u00ff]%ls", wide, rest));
  wides(wide), wides(rest), printf("\n");
  printf("%d\n", swscanf(L"\u20ac5", L"\u20ac%d", &n));
}

int main(void) {
  strings();
  beyond();
  int spaces = 0;
  FILE *written = tmpfile();
  fputs("12 word\n7 \xc3\xa4" "b 3\n", written);
  fflush(written);
  FILE *file = fdopen(dup(fileno(written)), "r");
  rewind(file);
  int a = 0, b = 0;
  char text[16] = "";
  wchar_t wide[16] = L"";
  printf("%s\n", setlocale(LC_ALL, "C.UTF-8"));
  printf("%d %d %s\n", fwscanf(file, L"%d %s", &a, text), a, text);
  printf("%d %d ", fwscanf(file, L"%d %ls %d", &a, wide, &b), a);
  wides(wide), printf("%d %d\n", b, fwscanf(file, L"%d", &a));
  fclose(file), fclose(written);
  beyond();
  for (unsigned c = 128; c < 0x110000; c++)
    spaces += iswspace(c) ? c & 0xff : 0;
  printf("%d\n", spaces);
  return 0;
}
