// CWE-170: strncpy leaves out the zero behind what it fills completely.
// run: --sym-arg 4
// error: out-of-bounds read
#include <string.h>

int main(int argc, char **argv) {
    struct {
        char name[4];
    } record;
    strncpy(record.name, argv[1], sizeof record.name);
#ifdef GOOD
    record.name[sizeof record.name - 1] = 0;
#endif
    return (int)strlen(record.name);
}
