// Many short paths: every byte of a text is of one of three kinds, so there are 3 to the power of SIZE ways through,
// and all of them are there.
//
// Compare the time with `--jobs 1` and `--jobs 2`, best with `--tests covering`: else most of it goes to writing files.
#include <klee/klee.h>

#ifndef SIZE
#define SIZE 11
#endif

int main(void) {
    unsigned char text[SIZE];
    klee_make_symbolic(text, sizeof text, "text");
    unsigned words = 0, numbers = 0, inside = 0;
    for (unsigned i = 0; i < SIZE; i++) {
        unsigned char c = text[i];
        if (c == ' ') {
            inside = 0;
        } else if ((unsigned char)(c - '0') < 10) {
            numbers += inside != 2;
            inside = 2;
        } else {
            words += inside != 1;
            inside = 1;
        }
    }
    return (int)(words + numbers * 16);
}
