// inputs: n=1..4 fill=0..5
// paths: 10
// sanitize: address
// A structure that ends in an array of any length, one that is packed, and an index behind the end.
#include <klee/klee.h>
#include <stddef.h>
#include <stdlib.h>

struct message {
    unsigned char kind;
    unsigned short len;
    unsigned char data[];
};

struct __attribute__((packed)) header {
    char mark;
    int length;
};

int main(void) {
    int n = klee_range(1, 5, "n"), fill = klee_range(0, 6, "fill");
    if (sizeof(struct header) != 5 || offsetof(struct message, data) != 4) return 1; /* never */
    struct message *message;
    switch (n) {
    case 1: message = malloc(sizeof *message + 1); break;
    case 2: message = malloc(sizeof *message + 2); break;
    default: message = malloc(sizeof *message + 4);
    }
    struct header header = {'m', n * fill};
    message->len = (unsigned short)header.length;
    if (fill == 0) {
        if (message->len == 0) return 5;
        return 6;
    }
    message->data[fill - 1] = 9;
    if (header.mark != 'm') return 2; /* never */
    if (header.length > 8) return 3;
    return 4;
}
