// CWE-415: an error of the second record frees what the end frees again.
// run: --sym-file records=3
// error: double free, use after free
#include <stdio.h>
#include <stdlib.h>

static int read_record(FILE *file, char *into) {
    int c = fgetc(file);
    if (c == EOF || c == '!') {
#ifndef GOOD
        free(into);
#endif
        return -1;
    }
    *into = (char)c;
    return 0;
}

int main(void) {
    FILE *file = fopen("records", "r");
    char *record = malloc(1);
    if (!file || !record)
        return 1;
    int status = 0;
    for (int i = 0; i < 2; i++)
        if (read_record(file, record) != 0)
            status = 2;
    free(record);
    fclose(file);
    return status;
}
