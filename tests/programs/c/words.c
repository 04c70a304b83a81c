// Reads standard input in every way: lines, characters, formatted, pushed back, until the end.
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int main(void) {
    char line[64];
    if (fgets(line, sizeof line, stdin))
        printf("line: %s", line);
    int a, b;
    printf("%d", scanf("%d %d", &a, &b));
    printf(" %d\n", a + b);
    int c = getchar();
    while (c != EOF && isspace(c))
        c = getchar();
    ungetc(c, stdin);
    char *whole = NULL;
    size_t size = 0;
    long length = getline(&whole, &size, stdin);
    printf("%ld %s", length, whole);
    free(whole);
    int lines = 0, words = 0, characters = 0, inside = 0, counts[26] = {0};
    while ((c = getc(stdin)) != EOF) {
        characters++;
        lines += c == '\n';
        if (isalpha(c)) {
            counts[tolower(c) - 'a']++;
            words += !inside;
            inside = 1;
        } else {
            inside = 0;
        }
    }
    printf("%d %d %d\n", lines, words, characters);
    for (int i = 0; i < 26; i++)
        if (counts[i])
            printf("%c%d ", 'a' + i, counts[i]);
    printf("\n%d %d\n", feof(stdin) != 0, ferror(stdin));
    return lines;
}
