// A path for every number of arguments, kind of each, and length of what is read; each says what it found.
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

int main(int argc, char **argv) {
    char buffer[8];
    const char *mode = getenv("MODE");
    fputs(mode[0] == 'm' ? "m" : "-", stderr);
    for (int i = 1; i < argc; i++) fputs(!argv[i][0] ? " empty" : argv[i][0] == 'a' ? " a" : " other", stderr);
    int file = argc == 1 ? open("A", O_RDONLY) : 0;
    long length = read(file, buffer, sizeof buffer);
    fprintf(stderr, " %ld of %d\n", length, file);
    return 0;
}
