#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

struct refrain_input {
    const char *name, *bytes;
    unsigned long size;
};

enum refrain_end {
    REFRAIN_EXITS,  /* with the status */
    REFRAIN_ENDS,   /* by itself, with any status */
    REFRAIN_DIES,   /* of an error */
    REFRAIN_MAY_DIE /* of an error that a process can survive */
};

struct refrain_test {
    const char *name;
    const char *const *args;
    const struct refrain_input *inputs;
    unsigned long count;
    enum refrain_end end;
    int status;
};
