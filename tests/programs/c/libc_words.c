/* wordexp: words as a shell makes them. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>
#include <wordexp.h>

static void show(const char *text, int flags) {
  wordexp_t words = {0};
  words.we_offs = 2;
  int error = wordexp(text, &words, flags);
  printf("<%s> %d:", text, error);
  for (size_t i = 0; !error && i < words.we_wordc; i++)
    printf(" [%s]", words.we_wordv[i + (flags & WRDE_DOOFFS ? 2 : 0)]);
  if (!error && flags & WRDE_DOOFFS)
    printf(" %d%d", words.we_wordv[0] == NULL, words.we_wordv[1] == NULL);
  printf("\n");
  if (!error)
    wordfree(&words);
}

int main(void) {
  char directory[] = "/tmp/words-XXXXXX";
  if (!mkdtemp(directory) || chdir(directory))
    return 1;
  close(open("a.c", O_CREAT | O_WRONLY, 0644));
  close(open("b.c", O_CREAT | O_WRONLY, 0644));
  setenv("HOME", "/home/me", 1);
  setenv("NAME", "value", 1);
  setenv("SPACED", "  one two  three ", 1);
  setenv("EMPTY", "", 1);
  setenv("PATHS", "/usr/lib/thing.tar.gz", 1);
  setenv("LIST", "a:b::c", 1);
  unsetenv("IFS");
  unsetenv("UNSET");
  static const char *const texts[] = {
      "", "  ", "one", "one two", " one  two ", "'one two'", "\"one two\"", "one\\ two", "a'b'c\"d\"e", "''", "\"\" x",
      "$NAME", "x$NAME", "${NAME}x", "$NAME$NAME", "\"$NAME\"", "'$NAME'", "\\$NAME", "$UNSET", "a $UNSET b", "\"$UNSET\"",
      "$SPACED", "\"$SPACED\"", "x${SPACED}y", "$EMPTY", "x\"$EMPTY\"", "${#NAME}", "${#UNSET}", "${UNSET:-word}",
      "${UNSET-word}", "${EMPTY:-word}", "${EMPTY-word}", "${NAME:-word}", "${UNSET:+word}", "${NAME:+word}", "${EMPTY+set}",
      "${EMPTY:+set}", "${NEW:=fresh} $NEW", "${PATHS#*/}", "${PATHS##*/}", "${PATHS%.*}", "${PATHS%%.*}", "${PATHS%x}",
      "${UNSET:-$NAME}", "${UNSET:-a b}", "\"${UNSET:-a b}\"", "${UNSET:-${NAME}}", "${NAME?}", "${NAME:?gone}", "$((1+2))", "$((2*(3+4)-1))", "$((7/2))",
      "$(( -3 + 1 ))", "$((1/0))", "$((0x10+010))", "x$((1))y", "$", "$ x", "\"$\"", "~", "~/x", "~nobody-known/x", "a~", "x=~",
      "x=~:~/y", "\\~", "\"~\"", "*.c", "?.c", "[a].c", "*.h", "'*.c'", "x*.c", "a b|c", "a&b", "a;b", "(a)", "a\nb", "{a}", "<a",
      "'open", "\"open", "open\\", "${NAME", "${}", "$((1", "`ls`", "$(ls)", "\"`ls`\"", "a\\\nb", "\"a\\\nb\\x\\\"\"", "#x", "a#x",
      "=", "!", "%x", "a:b", "\\'", "\"'\"", "'\"'",
  };
  for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
    show(texts[i], WRDE_NOCMD);
  show("$NAME x", WRDE_DOOFFS | WRDE_NOCMD);
  show("$UNSET", WRDE_UNDEF);
  show("${UNSET}", WRDE_UNDEF);
  show("${UNSET:-x}", WRDE_UNDEF);
  setenv("IFS", ":", 1);
  show("$LIST", 0);
  show("x${LIST}y $SPACED", 0);
  setenv("IFS", "", 1);
  show("$SPACED", 0);
  unsetenv("IFS");

  wordexp_t words;
  printf("%d", wordexp("a b", &words, 0));
  printf(" %d", wordexp("c=~", &words, WRDE_APPEND));
  printf(" %d", wordexp("|", &words, WRDE_APPEND));
  printf(" %zu %s %s\n", words.we_wordc, words.we_wordv[0], words.we_wordv[2]);
  printf("%d %zu\n", wordexp("z", &words, WRDE_REUSE), words.we_wordc);
  wordfree(&words);
  unlink("a.c"), unlink("b.c");
  printf("%d\n", chdir("/") || rmdir(directory));
  return 0;
}
