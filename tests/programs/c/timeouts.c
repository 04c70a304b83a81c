/* Waits that nobody ends: each says that its time is over, and leaves its lock as it was. */
#define _GNU_SOURCE
#include <errno.h>
#include <linux/futex.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdio.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

static struct timespec soon(clockid_t clock) {
    struct timespec until;
    clock_gettime(clock, &until);
    until.tv_nsec += 2000000;
    if (until.tv_nsec >= 1000000000) {
        until.tv_nsec -= 1000000000;
        until.tv_sec++;
    }
    return until;
}

static int is_over(clockid_t clock, struct timespec until) {
    struct timespec now;
    clock_gettime(clock, &now);
    return now.tv_sec > until.tv_sec || (now.tv_sec == until.tv_sec && now.tv_nsec >= until.tv_nsec);
}

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

static void *locks(void *unused) {
    struct timespec until = soon(CLOCK_REALTIME);
    int error = pthread_mutex_timedlock(&mutex, &until);
    printf("lock %d %d\n", error == ETIMEDOUT, is_over(CLOCK_REALTIME, until));
    return unused;
}

static void conditions(clockid_t clock) {
    pthread_condattr_t kind;
    pthread_cond_t condition;
    pthread_condattr_init(&kind);
    pthread_condattr_setclock(&kind, clock);
    pthread_cond_init(&condition, &kind);
    pthread_mutex_lock(&mutex);
    struct timespec until = soon(clock);
    int error = pthread_cond_timedwait(&condition, &mutex, &until);
    printf("condition %d %d", error == ETIMEDOUT, is_over(clock, until));
    // A time that was over before.
    error = pthread_cond_timedwait(&condition, &mutex, &until);
    printf(" %d, locked %d\n", error == ETIMEDOUT, pthread_mutex_trylock(&mutex) == EBUSY);
    pthread_mutex_unlock(&mutex);
}

int main(void) {
    conditions(CLOCK_REALTIME);
    conditions(CLOCK_MONOTONIC);

    sem_t semaphore;
    sem_init(&semaphore, 0, 0);
    struct timespec until = soon(CLOCK_REALTIME);
    int result = sem_timedwait(&semaphore, &until);
    printf("semaphore %d %d %d\n", result, errno == ETIMEDOUT, is_over(CLOCK_REALTIME, until));
    sem_post(&semaphore);
    printf("semaphore %d\n", sem_timedwait(&semaphore, &until));

    pthread_t thread;
    pthread_mutex_lock(&mutex);
    pthread_create(&thread, NULL, locks, NULL);
    pthread_join(thread, NULL);
    pthread_mutex_unlock(&mutex);

    unsigned word = 3;
    struct timespec span = {0, 1000000};
    long long woken = syscall(SYS_futex, &word, FUTEX_WAIT_PRIVATE, 3, &span, NULL, 0);
    printf("futex %lld %d\n", woken, errno == ETIMEDOUT);
    woken = syscall(SYS_futex, &word, FUTEX_WAIT_PRIVATE, 4, &span, NULL, 0);
    printf("futex %lld %d\n", woken, errno == EAGAIN);
    return 0;
}
