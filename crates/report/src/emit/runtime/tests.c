#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#if defined(__SANITIZE_ADDRESS__)
#define REFRAIN_CHECKED 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define REFRAIN_CHECKED 1
#endif
#endif
#ifndef REFRAIN_CHECKED
#define REFRAIN_CHECKED 0
#endif

struct refrain_input {
    const char *name, *bytes;
    unsigned long size;
};

enum refrain_end {
    REFRAIN_EXITS,          /* with the status */
    REFRAIN_ENDS,           /* by itself, with any status */
    REFRAIN_DIES,           /* of an error */
    REFRAIN_DIES_IF_CHECKED /* of an error that shows with the address sanitizer only */
};

struct refrain_test {
    const char *name;
    const char *const *args;
    const struct refrain_input *inputs;
    unsigned long count;
    enum refrain_end end;
    int status;
};
