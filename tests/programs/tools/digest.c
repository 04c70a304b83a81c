// Checks sums that a file lists, as md5sum -c does. A line without a name leaves the context of its format null.
// run: --sym-file sums=5
// error: null dereference
#include <stdio.h>
#include <string.h>

struct format {
    const char *name;
    int digits;
};

static const struct format formats[] = {{"M", 1}, {"S", 2}};

static const struct format *format_of(const char *line) {
    for (size_t i = 0; i < sizeof formats / sizeof *formats; i++)
        if (strncmp(line, formats[i].name, strlen(formats[i].name)) == 0)
            return &formats[i];
    return NULL;
}

static int check(const char *line) {
    const struct format *format = format_of(line);
    const char *sum = strchr(line, '=');
    if (!sum)
        return 1;
#ifdef GOOD
    if (!format)
        return 2;
#endif
    int digits = 0;
    while (sum[1 + digits] >= '0' && sum[1 + digits] <= '9')
        digits++;
    return digits == format->digits ? 0 : 3;
}

int main(void) {
    char line[16];
    FILE *sums = fopen("sums", "r");
    if (!sums)
        return 4;
    int worst = 0;
    while (fgets(line, sizeof line, sums)) {
        int result = check(line);
        if (result > worst)
            worst = result;
    }
    fclose(sums);
    return worst;
}
