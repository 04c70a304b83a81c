//! Programs that say on standard output what they found in their world, and nothing that depends on more of it.

/// Arguments only.
pub const OPTIONS: &str = r#"
#include <stdio.h>
#include <string.h>
int main(int argc, char **argv) {
    int lines = 0, words = 0, files = 0;
    for (int i = 1; i < argc; i++) {
        if (argv[i][0] != '-') files++;
        else if (!strcmp(argv[i], "-l")) lines++;
        else if (argv[i][1] == 'w') words++;
        else if (!argv[i][1]) puts("dash");
        else return 2;
    }
    printf("%d: %d lines, %d words, %d files\n", argc, lines, words, files);
    return argv[argc] != NULL;
}
"#;

/// Standard input only.
pub const READER: &str = r#"
#include <stdio.h>
#include <unistd.h>
#include <sys/stat.h>
int main(void) {
    struct stat data;
    if (fstat(0, &data) != 0 || !S_ISFIFO(data.st_mode)) return 9;
    int c = getchar();
    if (c == EOF) { puts("nothing"); return 1; }
    if (c == '#') {
        int d = getchar();
        puts(d == EOF ? "half" : d == '!' ? "script" : "comment");
        return d == EOF && !feof(stdin) ? 8 : 0;
    }
    if (c >= '0' && c <= '9') printf("digit\n");
    else puts(c < 32 ? "control" : "other");
    return lseek(0, 0, SEEK_CUR) == -1 ? 0 : 7;
}
"#;

/// A file, an argument that may name it, and a variable.
pub const FILES: &str = r#"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <fcntl.h>
#include <sys/stat.h>
int main(int argc, char **argv) {
    char *mode = getenv("MODE");
    if (mode && mode[0] == 'v') puts("verbose");
    if (argc < 2 || strcmp(argv[1], "A")) { puts("no file"); return 1; }
    int file = open("A", O_RDWR);
    struct stat data;
    if (file < 0 || fstat(file, &data) != 0) return 9;
    char text[8] = {0};
    if (read(file, text, 8) != data.st_size || lseek(file, 0, SEEK_END) != data.st_size) return 8;
    printf("%d bytes%s\n", (int)data.st_size, text[0] == 'x' ? ", x first" : "");
    if (data.st_size > 1 && text[1] == text[0]) puts("twice");
    if (write(file, "end", 3) != 3 || lseek(file, 0, SEEK_CUR) != data.st_size + 3) return 7;
    return 0;
}
"#;

/// One mistake of each kind: dies by itself, dies natively, shows with a sanitizer only.
pub const MISTAKES: &str = r#"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
int table[4];
int main(int argc, char **argv) {
    printf("%d\n", argc - 1);
    if (argc > 1 && argv[1][0] == 'a') abort();
    if (argc > 1 && argv[1][0] == 'n') return *(volatile int *)0;
    if (argc > 1 && argv[1][0] == 'o') return ((volatile int *)table)[4 + (argv[1][1] == 0)] & 0;
    return argc > 1 && argv[1][0] == 's';
}
"#;
