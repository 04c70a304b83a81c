// A search that finds nothing and is believed.
#include <stdio.h>
#include <string.h>

static int value_of(const char *setting) {
    const char *at = strchr(setting, '=');
    return at[1] - '0';
}

int main(void) {
    printf("%d\n", value_of("a=1"));
    printf("%d\n", value_of("b"));
    return 0;
}
