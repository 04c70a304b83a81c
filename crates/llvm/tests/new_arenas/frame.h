#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

void klee_make_symbolic(void *, unsigned long, const char *);
void klee_prefer_cex(void *, unsigned long);
void klee_print_expr(const char *, unsigned);
void program(const unsigned char *in);

#ifdef NATIVE
/* Runs the program on each record of the standard input, in a process of its own. */
static unsigned char record[8];
static int taken;

void klee_make_symbolic(void *to, unsigned long bytes, const char *name) {
    memcpy(to, record + taken, bytes);
    taken += bytes;
}

void klee_prefer_cex(void *object, unsigned long condition) {}
void klee_print_expr(const char *text, unsigned value) {}
#endif

static void start(void) {
    unsigned char in[4];
    klee_make_symbolic(in, sizeof in, "x");
    program(in);
}

int main(void) {
#ifdef NATIVE
    while (read(0, record, sizeof record) == sizeof record) {
        if (fork() == 0) {
            start();
            exit(0);
        }
        wait(0);
        write(1, "\0", 1);
    }
#else
    start();
#endif
    return 0;
}
