// The functions of string.h.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

static int sign(int x) { return (x > 0) - (x < 0); }

int main(void) {
    char buffer[64] = "start";
    printf("%zu", strlen(buffer));
    printf(" %s\n", strcat(buffer, "+more"));
    strncat(buffer, "truncated", 5);
    printf("%s\n", buffer);
    strcpy(buffer, "copied");
    strncpy(buffer + 10, "padded", 10);
    printf("%s %s %d\n", buffer, buffer + 10, buffer[19]);
    printf("%d %d %d %d\n", sign(strcmp("a", "b")), sign(strcmp("b", "a")), strcmp("x", "x"), sign(strcmp("ab", "abc")));
    printf("%d %d %d\n", strncmp("abcd", "abxx", 2), sign(strcasecmp("HeLLo", "hello")), sign(strncasecmp("ABc", "abD", 3)));
    printf("%s %s %s\n", strchr("hello", 'l'), strrchr("hello", 'l'), strstr("needle in haystack", "in"));
    printf("%d %d\n", strchr("abc", 'z') == NULL, strstr("abc", "") != NULL);
    printf("%zu %zu %s\n", strspn("aabbcc", "ab"), strcspn("hello,world", ","), strpbrk("one two", " t"));
    char text[] = "  split, this;  string  ";
    for (char *word = strtok(text, " ,;"); word; word = strtok(NULL, " ,;"))
        printf("[%s]", word);
    char again[] = "a:b::c", *save;
    for (char *word = strtok_r(again, ":", &save); word; word = strtok_r(NULL, ":", &save))
        printf("(%s)", word);
    printf("\n");
    char bytes[16];
    memset(bytes, 'x', sizeof bytes);
    memcpy(bytes, "0123456789", 10);
    memmove(bytes + 2, bytes, 10);
    printf("%.16s\n", bytes);
    memmove(bytes, bytes + 3, 10);
    printf("%.16s %d %d\n", bytes, sign(memcmp("abc", "abd", 3)), memcmp("abc", "abd", 2));
    printf("%ld\n", (char *)memchr(bytes, 'x', 16) - bytes);
    char *copy = strdup("duplicate"), *part = strndup("duplicate", 3);
    printf("%s %s %zu\n", copy, part, strnlen(copy, 4));
    free(copy);
    free(part);

    return 0;
}
