// inputs: to=0..5 from=0..5 n=0..3
// paths: 54
// Bytes moved within one array, forwards and backwards, over themselves. What is moved where is decided by the program itself.
#include <klee/klee.h>
#include <string.h>

int main(void) {
    int to = klee_range(0, 6, "to"), from = klee_range(0, 6, "from"), n = klee_range(0, 4, "n");
    char text[9] = "abcdefgh", other[9] = "abcdefgh";
    if (n == 0) return 0;
    /* Places and lengths become numbers here, where it shows. */
    switch (to) {
    case 0: break;
    case 1: break;
    case 2: break;
    case 3: break;
    default: return 1;
    }
    switch (from) {
    case 0: break;
    case 1: break;
    case 2: break;
    case 3: break;
    default: return 2;
    }
    switch (n) {
    case 1: memmove(text + to, text + from, 1); break;
    case 2: memmove(text + to, text + from, 2); break;
    default: memmove(text + to, text + from, 3);
    }
    for (int i = 0; i < 3; i++)
        if (i < n) other[to + i] = (char)('a' + from + i);
    if (memcmp(text, other, sizeof text) != 0) return 3; /* never */
    if (text[0] == text[1]) return 4;
    return 5;
}
