/* Names of threads, by prctl and by pthread.h: both are one. */
#define _GNU_SOURCE
#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>

static void show(const char *what) {
    char name[17], same[16];
    memset(name, '#', sizeof name);
    int result = prctl(PR_GET_NAME, name);
    pthread_getname_np(pthread_self(), same, sizeof same);
    printf("%s: %d [%s] %d %c\n", what, result, name, memcmp(name, same, sizeof same), name[16]);
}

static void *body(void *argument) {
    show("inherited");
    prctl(PR_SET_NAME, "worker", 0, 0, 0);
    show("of its own");
    return argument;
}

int main(int count, char **arguments) {
    char name[16];
    const char *own = strrchr(arguments[0], '/');
    prctl(PR_GET_NAME, name);
    printf("%d: that of the program %d\n", count, strncmp(name, own ? own + 1 : arguments[0], 15));
    printf("set %d\n", prctl(PR_SET_NAME, "a name that is too long"));
    show("cut");
    printf("%d %d", pthread_setname_np(pthread_self(), "sixteen bytes..."), ERANGE);
    printf(" %d\n", pthread_getname_np(pthread_self(), name, 15) == ERANGE);
    printf("%d\n", pthread_setname_np(pthread_self(), "fifteen bytes.."));
    show("main");
    pthread_t thread;
    pthread_create(&thread, NULL, body, NULL);
    pthread_join(thread, NULL);
    show("main still");
    prctl(PR_SET_NAME, "");
    show("empty");
    return 0;
}
