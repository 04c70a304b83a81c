// CWE-126: an option that is only a dash is read beyond its end.
// run: --sym-args 1 1 2
// error: out-of-bounds read
#include <string.h>

int main(int argc, char **argv) {
    const char *word = argv[1];
    size_t length = strlen(word);
    char copy[3];
    memcpy(copy, word, length + 1);
    if (copy[0] != '-')
        return 1;
    char *value = copy + 2;
#ifdef GOOD
    if (length < 2)
        return 2;
#endif
    /* Behind the letter comes its value; of a lone dash that is behind the end. */
    return value[length < 2 ? 1 : 0] == 'x';
}
