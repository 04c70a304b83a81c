// An index of the words in a file, as ptx makes it. The context before a word is looked for from the end of the word
// before it, and the first word has none: a read before the beginning of the text.
// run: --sym-file text=4
// error: out-of-bounds read
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>

int main(void) {
    FILE *file = fopen("text", "r");
    if (!file)
        return 1;
    char *text = malloc(4);
    if (!text)
        return 1;
    size_t length = fread(text, 1, 4, file);
    fclose(file);
    int words = 0;
    for (char *at = text; at < text + length;) {
        if (!isalpha((unsigned char)*at)) {
            at++;
            continue;
        }
        char *start = at;
        while (at < text + length && isalpha((unsigned char)*at))
            at++;
        char *before = start;
#ifdef GOOD
        while (before > text && before[-1] == ' ')
#else
        while (before[-1] == ' ')
#endif
            before--;
        words++;
        printf("%d: %d before\n", words, (int)(start - before));
    }
    free(text);
    return 0;
}
