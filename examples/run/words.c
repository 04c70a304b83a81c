// Splits a text into words; the last word has no room for its end.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static char *word(const char *text, size_t length) {
    char *copy = malloc(length);
    memcpy(copy, text, length);
    copy[length] = '\0';
    return copy;
}

int main(void) {
    const char *text = "to be or not";
    while (*text) {
        size_t length = strcspn(text, " ");
        char *copy = word(text, length);
        printf("%s\n", copy);
        free(copy);
        text += length + (text[length] == ' ');
    }
    return 0;
}
