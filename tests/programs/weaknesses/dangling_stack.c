// CWE-562: a function returns its own variable for some arguments.
// run: --sym-arg 2
// error: use after return
#include <string.h>

static const char *shown(const char *word) {
    char copy[4];
    static char kept[4];
#ifdef GOOD
    char *result = kept;
#else
    char *volatile result = word[0] == '-' ? copy : kept;
#endif
    strcpy(result, word);
    return result;
}

int main(int argc, char **argv) {
    const char *text = shown(argv[1]);
    return text[0] == 'q';
}
