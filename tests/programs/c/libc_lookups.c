/* Patterns, names of files, users, tables, times, encodings and wide text, as the C library has them. */
#define _GNU_SOURCE
#include <errno.h>
#include <fenv.h>
#include <fnmatch.h>
#include <grp.h>
#include <iconv.h>
#include <netdb.h>
#include <arpa/inet.h>
#include <pwd.h>
#include <regex.h>
#include <search.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <wchar.h>
#include <wctype.h>

static void match(const char *pattern, int flags, const char *text) {
  regex_t compiled;
  regmatch_t spans[5];
  char said[80];
  int error = regcomp(&compiled, pattern, flags);
  if (error) {
    regerror(error, &compiled, said, sizeof said);
    printf("%s: %s\n", pattern, said);
    return;
  }
  int found = regexec(&compiled, text, 5, spans, 0);
  printf("%s on %s: %d", pattern, text, found);
  for (size_t i = 0; !found && i <= compiled.re_nsub && i < 5; i++)
    printf(" (%d,%d)", (int)spans[i].rm_so, (int)spans[i].rm_eo);
  printf("\n");
  regfree(&compiled);
}

static void patterns(void) {
  match("^([a-z]+)=([0-9]*)$", REG_EXTENDED, "width=640");
  match("\\([ab]*\\)\\1", 0, "abab");
  match("(a|ab)(c|bcd)(d*)", REG_EXTENDED, "abcd");
  match("h.llo", REG_ICASE, "say HELLO");
  match("^b", REG_NEWLINE, "a\nb");
  match("a{2,3}", REG_EXTENDED, "caaaad");
  match("[[:digit:]]{3}-[^-]", REG_EXTENDED, "tel 555-1234");
  match("(unclosed", REG_EXTENDED, "");
  match("a[", 0, "");
  struct re_pattern_buffer buffer;
  struct re_registers registers = {0};
  memset(&buffer, 0, sizeof buffer);
  re_set_syntax(RE_SYNTAX_EMACS);
  printf("%s\n", re_compile_pattern("\\(o+\\)", 6, &buffer) ? "error" : "compiled");
  printf("%d", re_search(&buffer, "foo boo", 7, 0, 7, &registers));
  printf(" %d", registers.end[1]);
  printf(" %d\n", re_search(&buffer, "foo boo", 7, 7, -7, &registers));
  printf("%d%d%d%d\n", fnmatch("*.c", "main.c", 0), fnmatch("*", ".rc", FNM_PERIOD),
         fnmatch("a/*/c", "a/b/c", FNM_PATHNAME), fnmatch("+(x|y)z", "xyxz", FNM_EXTMATCH));
}

static void lookups(void) {
  struct passwd *user = getpwuid(0);
  printf("%s %s %d\n", user->pw_name, user->pw_dir, (int)getpwnam("nobody")->pw_uid);
  printf("%s %d\n", getgrgid(0)->gr_name, getgrnam("no such group") == NULL);
  printf("%d\n", ntohs(getservbyname("http", "tcp")->s_port));
  hcreate(20);
  char keys[20][4];
  for (long i = 0; i < 20; i++) {
    sprintf(keys[i], "k%ld", i);
    hsearch((ENTRY){keys[i], (void *)(i * i)}, ENTER);
  }
  ENTRY *found = hsearch((ENTRY){"k7", NULL}, FIND);
  printf("%ld %d\n", (long)found->data, hsearch((ENTRY){"none", NULL}, FIND) == NULL);
  hdestroy();
}

static void times(void) {
  struct tm t;
  char shown[80];
  memset(&t, 0, sizeof t);
  char *rest = strptime("2024-02-29 23:59:58 +0130 tail", "%F %T %z", &t);
  strftime(shown, sizeof shown, "%a %j %Y %H:%M:%S", &t);
  printf("%s %ld%s\n", shown, t.tm_gmtoff, rest);
  memset(&t, 0, sizeof t);
  rest = strptime("Tue, 5 mar 99 11:07 PM", "%a, %d %b %y %I:%M %p", &t);
  printf("%d %d %d %d:%d %s\n", t.tm_year, t.tm_mon, t.tm_mday, t.tm_hour, t.tm_min, rest ? "" : "no");
  printf("%d\n", strptime("13/40", "%m/%d", &t) == NULL);
}

static void encodings(void) {
  iconv_t to = iconv_open("UTF-16LE", "UTF-8");
  char text[] = "z\xc3\xa9\xf0\x9f\x98\x80", out[32], *in = text, *at = out;
  size_t left = strlen(text), room = sizeof out;
  printf("%zu %zu", iconv(to, &in, &left, &at, &room), sizeof out - room);
  for (size_t i = 0; i < sizeof out - room; i++)
    printf(" %02x", (unsigned char)out[i]);
  iconv_close(to);
  to = iconv_open("ASCII", "UTF-8");
  in = text, left = strlen(text), at = out, room = sizeof out;
  printf("\n%d %d %zu\n", (int)iconv(to, &in, &left, &at, &room), errno == EILSEQ, left);
  iconv_close(to);
  printf("%d\n", iconv_open("no such encoding", "UTF-8") == (iconv_t)-1);
}

static void wide(void) {
  wchar_t text[40], *save, *word;
  int len = swprintf(text, 40, L"%d|%5ls|%-4s|%lc|%.2f|%x", -7, L"w\x20ac", "ab", L'\x263a', 1.5, 255);
  printf("%d", len);
  for (int i = 0; i < len; i++)
    printf(" %x", (unsigned)text[i]);
  printf("\n%d\n", swprintf(text, 4, L"%d", 123456));
  wcscpy(text, L"one two  three");
  for (word = wcstok(text, L" ", &save); word; word = wcstok(NULL, L" ", &save))
    printf("[%ls]", word);
  wchar_t *end;
  printf(" %lld %g", wcstoll(L"-123x", &end, 10), wcstod(L"2.5e3", NULL));
  printf(" %ls %d %d\n", end, wcsncasecmp(L"HELLO", L"help", 3), (int)towctrans('x', wctrans("toupper")));
  printf("%d %d\n", fegetround() == FE_TONEAREST, feclearexcept(FE_ALL_EXCEPT));
}

static void numbers(void) {
  char memory[64];
  struct random_data data;
  memset(&data, 0, sizeof data);
  int value;
  initstate_r(42, memory, sizeof memory, &data);
  for (int i = 0; i < 5; i++)
    printf("%d ", random_r(&data, &value) ? -1 : value);
  struct drand48_data state;
  double real;
  long whole;
  srand48_r(7, &state);
  drand48_r(&state, &real);
  lrand48_r(&state, &whole);
  printf("%.17g %ld\n", real, whole);
}

int main(void) {
  patterns();
  lookups();
  times();
  encodings();
  wide();
  numbers();
  return 0;
}
