/* Threads that are created and joined: locks, variables of their own, keys, once, and ways to end. The output does not depend on
   the order in which they run. */
#include <errno.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static long total;
static __thread int own = 7;
static __thread char text[16] = "start";
static __thread struct {
    int zero;
    const char *name;
} pair = {0, "pair"};

static void *add(void *argument) {
    long n = (long)argument;
    for (long i = 1; i <= n; i++) {
        pthread_mutex_lock(&lock);
        total += i;
        pthread_mutex_unlock(&lock);
    }
    return (void *)(n * n);
}

static void sums(void) {
    pthread_t threads[8];
    for (long i = 0; i < 8; i++)
        if (pthread_create(&threads[i], NULL, add, (void *)(i * 10)))
            abort();
    long squares = 0;
    for (int i = 0; i < 8; i++) {
        void *result;
        printf("join %d, ", pthread_join(threads[i], &result));
        squares += (long)result;
    }
    printf("total %ld, squares %ld\n", total, squares);
}

struct report {
    int own_before, own_after, zero, depth;
    char before[16], after[16];
    const char *name;
};

static void *variables(void *argument) {
    struct report *report = argument;
    report->own_before = own;
    strcpy(report->before, text);
    report->zero = pair.zero;
    report->name = pair.name;
    own += 100 + report->depth;
    snprintf(text, sizeof text, "depth %d", report->depth);
    pair.zero = 1;
    pair.name = "changed";
    if (report->depth > 0) {
        struct report inner = {.depth = report->depth - 1};
        pthread_t thread;
        pthread_create(&thread, NULL, variables, &inner);
        pthread_join(thread, NULL);
        report->zero += inner.zero;
        if (inner.own_before != 7 || strcmp(inner.before, "start"))
            report->zero = -1;
    }
    report->own_after = own;
    strcpy(report->after, text);
    return NULL;
}

static void thread_locals(void) {
    own = 1;
    strcpy(text, "main");
    pair.zero = 5;
    for (int depth = 0; depth < 3; depth++) {
        struct report report = {.depth = depth};
        pthread_t thread;
        pthread_create(&thread, NULL, variables, &report);
        pthread_join(thread, NULL);
        printf("in: %d %s %d %s, then %d %s\n", report.own_before, report.before, report.zero, report.name, report.own_after,
               report.after);
        printf("out: %d %s %d %s\n", own, text, pair.zero, pair.name);
        own++;
    }
}

static pthread_key_t first, second, third;
static char log_text[256];

static void note(const char *what, long value) {
    pthread_mutex_lock(&lock);
    size_t end = strlen(log_text);
    snprintf(log_text + end, sizeof log_text - end, " %s%ld", what, value);
    pthread_mutex_unlock(&lock);
}

static void end_first(void *value) {
    note("first", (long)value);
    /* Once more, in the next round. */
    if ((long)value > 1)
        pthread_setspecific(first, (void *)((long)value - 1));
}

static void end_second(void *value) {
    note("second", *(int *)value);
    free(value);
}

static void *keys_of_thread(void *argument) {
    int *kept = malloc(sizeof *kept);
    *kept = (int)(long)argument;
    if (pthread_getspecific(first) || pthread_getspecific(second) || pthread_getspecific(third))
        return "not empty";
    pthread_setspecific(first, (void *)2);
    pthread_setspecific(second, kept);
    pthread_setspecific(third, "unused");
    return pthread_getspecific(second) == kept ? "empty" : "lost";
}

static void keys(void) {
    pthread_key_create(&first, end_first);
    pthread_key_create(&second, end_second);
    pthread_key_create(&third, NULL);
    pthread_setspecific(first, (void *)40);
    pthread_setspecific(third, "main");
    for (long i = 1; i < 3; i++) {
        pthread_t thread;
        void *result;
        pthread_create(&thread, NULL, keys_of_thread, (void *)(i * 11));
        pthread_join(thread, &result);
        printf("%s:%s\n", (char *)result, log_text);
        log_text[0] = 0;
    }
    printf("main has %ld %s %s\n", (long)pthread_getspecific(first), pthread_getspecific(second) ? "something" : "nothing",
           (char *)pthread_getspecific(third));
    pthread_key_delete(first);
    printf("deleted: %d\n", pthread_setspecific(first, "x") == EINVAL);
    pthread_key_create(&first, NULL);
    printf("new: %s\n", pthread_getspecific(first) ? "something" : "nothing");
    pthread_setspecific(first, NULL);
}

static pthread_t creator;

static void *identity(void *argument) {
    pthread_t *self = argument;
    *self = pthread_self();
    return (void *)(long)pthread_equal(pthread_self(), creator);
}

static void inner_end(int depth) {
    if (depth == 0)
        pthread_exit("from inside");
    inner_end(depth - 1);
}

static void cleanup(void *argument) {
    note("cleanup", (long)argument);
}

static void *ends_early(void *argument) {
    pthread_cleanup_push(cleanup, (void *)1);
    pthread_cleanup_push(cleanup, (void *)2);
    pthread_cleanup_push(cleanup, (void *)3);
    pthread_cleanup_pop(0);
    pthread_setspecific(second, calloc(1, sizeof(int)));
    inner_end(*(int *)argument);
    pthread_cleanup_pop(1);
    pthread_cleanup_pop(1);
    return "never";
}

static pthread_once_t once = PTHREAD_ONCE_INIT;
static int initialised;

static void initialise(void) {
    initialised++;
}

static void *initialises(void *argument) {
    pthread_once(&once, initialise);
    errno = 77;
    sem_post(argument);
    return NULL;
}

static void *recursive(void *argument) {
    pthread_mutex_t *mutex = argument;
    long results = 0;
    for (int i = 0; i < 3; i++)
        results += pthread_mutex_lock(mutex);
    for (int i = 0; i < 3; i++)
        results += pthread_mutex_unlock(mutex);
    return (void *)(results * 100 + pthread_mutex_unlock(mutex));
}

static void *tries(void *argument) {
    return (void *)(long)pthread_mutex_trylock(argument);
}

static void others(void) {
    pthread_t thread, seen;
    void *result;
    creator = pthread_self();
    pthread_create(&thread, NULL, identity, &seen);
    pthread_join(thread, &result);
    printf("same: %ld %d %d\n", (long)result, pthread_equal(thread, seen) != 0, pthread_equal(creator, pthread_self()) != 0);
    printf("join of oneself: %d\n", pthread_join(pthread_self(), NULL) == EDEADLK);

    int depth = 5;
    pthread_create(&thread, NULL, ends_early, &depth);
    pthread_join(thread, &result);
    printf("%s:%s\n", (char *)result, log_text);
    log_text[0] = 0;

    sem_t semaphore;
    sem_init(&semaphore, 0, 0);
    errno = 5;
    pthread_attr_t attributes;
    pthread_attr_init(&attributes);
    pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
    pthread_create(&thread, &attributes, initialises, &semaphore);
    pthread_create(&thread, NULL, initialises, &semaphore);
    printf("detach %d\n", pthread_detach(thread));
    sem_wait(&semaphore);
    sem_wait(&semaphore);
    printf("once %d, errno %d\n", initialised, errno);

    pthread_mutexattr_t kind;
    pthread_mutex_t mutex;
    pthread_mutexattr_init(&kind);
    pthread_mutexattr_settype(&kind, PTHREAD_MUTEX_RECURSIVE);
    pthread_mutex_init(&mutex, &kind);
    pthread_create(&thread, NULL, recursive, &mutex);
    pthread_join(thread, &result);
    printf("recursive %ld\n", (long)result);
    pthread_mutex_lock(&mutex);
    pthread_create(&thread, NULL, tries, &mutex);
    pthread_join(thread, &result);
    printf("held by another: %d, by oneself: %d\n", (long)result == EBUSY, pthread_mutex_trylock(&mutex));
}

static void *last(void *argument) {
    printf("%s\n", (char *)argument);
    return NULL;
}

static void at_end(void) {
    printf("at exit: %d\n", own);
}

int main(void) {
    sums();
    thread_locals();
    keys();
    others();
    atexit(at_end);
    pthread_t thread;
    pthread_create(&thread, NULL, last, "last");
    pthread_join(thread, NULL);
    pthread_setspecific(second, calloc(1, sizeof(int)));
    pthread_exit(NULL);
}
