// CWE-476: a variable of the environment that is empty makes a function return null.
// run: --sym-env HOME=3
// error: null dereference
#include <stdlib.h>
#include <string.h>

static const char *last_part(const char *path) {
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : NULL;
}

int main(void) {
    const char *home = getenv("HOME");
    if (!home)
        return 1;
    const char *part = last_part(home);
#ifdef GOOD
    if (!part)
        return 2;
#endif
    return part[0] == 'a';
}
