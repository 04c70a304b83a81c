// CWE-125: an index that a file says is used as it is.
// run: --sym-file index=2
// error: out-of-bounds read
#include <stdio.h>

static const int prices[] = {5, 8, 13, 21};

int main(void) {
    unsigned char record[2];
    FILE *file = fopen("index", "rb");
    if (!file || fread(record, 1, sizeof record, file) != sizeof record)
        return 1;
    fclose(file);
    if (record[0] != 'P')
        return 2;
#ifdef GOOD
    if (record[1] >= sizeof prices / sizeof *prices)
        return 3;
#endif
    return prices[record[1]] > 10 ? 4 : 0;
}
