// CWE-590: what is freed is the program's own memory for most arguments, and the argument itself for one.
// run: --sym-arg 1
// error: invalid free
#include <stdlib.h>
#include <string.h>

int main(int argc, char **argv) {
    char *word = argv[1];
    char *copy = word;
    if (word[0] != '-')
        copy = strdup(word);
    if (!copy)
        return 1;
    int result = copy[0] == 'z';
#ifdef GOOD
    if (copy != word)
#endif
        free(copy);
    return result;
}
