/* Standard streams that are used after they were closed, and closed again. */
#include <errno.h>
#include <stdio.h>

static void tell(const char *what, int result) {
  printf("%s: %d, errno %d\n", what, result, errno);
  errno = 0;
}

int main(void) {
  errno = 0;
  tell("fclose", fclose(stdin));
  tell("fileno", fileno(stdin));
  tell("again", fclose(stdin));
  tell("getc", getc(stdin));
  tell("ferror", ferror(stdin) != 0);
  tell("feof", feof(stdin) != 0);
  tell("again", fclose(stdin));
  tell("fclose", fclose(stderr));
  tell("fputs", fputs("x", stderr));
  tell("fflush", fflush(stderr));
  tell("reopened", freopen("/dev/null", "r", stdin) == stdin);
  tell("getc", getc(stdin));
  tell("fclose", fclose(stdin));
  return 0;
}
