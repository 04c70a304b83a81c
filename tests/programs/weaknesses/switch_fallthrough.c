// CWE-484: a missing break leads from one option to code that another one prepares for.
// run: --sym-arg 2
// error: null dereference
#include <stddef.h>

int main(int argc, char **argv) {
    const char *name = NULL;
    const char *option = argv[1];
    if (option[0] != '-')
        return 1;
    switch (option[1]) {
    case 'n':
        name = "name";
        return name[0];
    case 'q':
#ifdef GOOD
        break;
#endif
    use:
        return name[1];
    case 'v':
        name = "verbose";
        goto use;
    default:
        return 2;
    }
    return 0;
}
