/* Signals a program sends to itself: what is blocked waits, who waits for one gets it, and how handlers are run. */
#define _GNU_SOURCE
#include <errno.h>
#include <pthread.h>
#include <semaphore.h>
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static char seen[64];
static int count;

static void note(int signal) {
    seen[count++] = signal == SIGUSR1 ? '1' : signal == SIGUSR2 ? '2' : signal == SIGINT ? 'i' : '?';
}

static void show(const char *what) {
    seen[count] = 0;
    printf("%s: [%s]\n", what, seen);
    count = 0;
}

static sigset_t set_of(int first, int second) {
    sigset_t set;
    sigemptyset(&set);
    sigaddset(&set, first);
    if (second)
        sigaddset(&set, second);
    return set;
}

static int is_pending(int signal) {
    sigset_t set;
    sigpending(&set);
    return sigismember(&set, signal);
}

static void blocked(void) {
    sigset_t both = set_of(SIGUSR1, SIGUSR2), old;
    signal(SIGUSR1, note);
    signal(SIGUSR2, note);
    printf("block %d", sigprocmask(SIG_BLOCK, &both, &old));
    printf(", before %d\n", sigismember(&old, SIGUSR1));
    raise(SIGUSR1);
    raise(SIGUSR1);
    kill(getpid(), SIGUSR2);
    show("blocked");
    printf("pending %d %d %d\n", is_pending(SIGUSR1), is_pending(SIGUSR2), is_pending(SIGINT));
    sigset_t one = set_of(SIGUSR1, 0);
    pthread_sigmask(SIG_UNBLOCK, &one, &old);
    printf("was %d %d\n", sigismember(&old, SIGUSR1), sigismember(&old, SIGUSR2));
    show("the first");
    raise(SIGUSR1);
    show("at once");
    signal(SIGUSR2, SIG_IGN);
    printf("ignored %d\n", is_pending(SIGUSR2));
    signal(SIGUSR2, note);
    // Both at once: the second interrupts the handler of the first.
    sigprocmask(SIG_BLOCK, &both, NULL);
    raise(SIGUSR2);
    raise(SIGUSR1);
    sigprocmask(SIG_UNBLOCK, &both, NULL);
    show("both");
    // What is blocked is not ended by.
    sigset_t terminate = set_of(SIGTERM, SIGKILL);
    sigprocmask(SIG_SETMASK, &terminate, NULL);
    sigprocmask(SIG_SETMASK, NULL, &old);
    printf("kill %d\n", sigismember(&old, SIGKILL));
    raise(SIGTERM);
    int signal = 0;
    printf("wait %d", sigwait(&terminate, &signal));
    printf(" %d, pending %d\n", signal, is_pending(SIGTERM));
    sigprocmask(SIG_UNBLOCK, &terminate, NULL);
    printf("how %d %d\n", sigprocmask(7, &both, NULL), errno == EINVAL);
}

static int depth;

static void again(int signal) {
    note(signal);
    if (depth++ < 2)
        raise(signal);
    seen[count++] = '.';
}

static void other(int signal) {
    note(signal);
    raise(SIGUSR2);
    seen[count++] = '.';
}

static void told(int signal, siginfo_t *info, void *context) {
    (void)context;
    printf("told %d %d %d\n", signal == info->si_signo, info->si_code, info->si_pid == getpid());
}

static void handlers(void) {
    struct sigaction action;
    memset(&action, 0, sizeof action);
    action.sa_handler = again;
    sigaction(SIGINT, &action, NULL);
    raise(SIGINT);
    show("deferred");
    depth = 0;
    action.sa_flags = SA_NODEFER;
    sigaction(SIGINT, &action, NULL);
    raise(SIGINT);
    show("not deferred");
    action.sa_handler = other;
    action.sa_flags = 0;
    sigaction(SIGINT, &action, NULL);
    raise(SIGINT);
    show("not in its mask");
    sigaddset(&action.sa_mask, SIGUSR2);
    sigaction(SIGINT, &action, NULL);
    raise(SIGINT);
    show("in its mask");
    sigset_t now;
    sigprocmask(SIG_BLOCK, NULL, &now);
    printf("after it %d %d\n", sigismember(&now, SIGINT), sigismember(&now, SIGUSR2));
    action.sa_sigaction = told;
    action.sa_flags = SA_SIGINFO | SA_RESETHAND;
    sigaction(SIGINT, &action, NULL);
    raise(SIGINT);
    sigaction(SIGINT, &action, NULL);
    kill(getpid(), SIGINT);
    sigaction(SIGINT, NULL, &action);
    printf("reset %d\n", action.sa_handler == SIG_DFL);
}

static void waits(void) {
    sigset_t set = set_of(SIGUSR1, SIGINT), rest;
    siginfo_t info;
    struct timespec span = {0, 1000000};
    sigprocmask(SIG_BLOCK, &set, NULL);
    int result = sigtimedwait(&set, &info, &span);
    printf("nothing %d %d\n", result, errno == EAGAIN);
    raise(SIGUSR1);
    result = sigtimedwait(&set, &info, &span);
    printf("one %d %d %d\n", result == SIGUSR1, info.si_signo == SIGUSR1, info.si_code);
    kill(getpid(), SIGUSR1);
    result = sigwaitinfo(&set, &info);
    printf("another %d %d\n", result == SIGUSR1, info.si_code);
    raise(SIGUSR1);
    sigemptyset(&rest);
    result = sigsuspend(&rest);
    printf("suspended %d %d\n", result, errno == EINTR);
    show("meanwhile");
    raise(SIGUSR1);
    show("blocked again");
    sigwait(&set, &result);
    sigprocmask(SIG_UNBLOCK, &set, NULL);
    show("taken");
}

static sigjmp_buf place;

static void leave(int signal) {
    note(signal);
    siglongjmp(place, 1);
}

static void jumps(void) {
    volatile int times = 0;
    sigset_t now;
    signal(SIGINT, leave);
    if (sigsetjmp(place, 1) == 0 || ++times < 3)
        raise(SIGINT);
    show("left with the mask");
    times = 0;
    if (sigsetjmp(place, 0) == 0 || ++times < 3)
        raise(SIGINT);
    show("left without");
    sigprocmask(SIG_BLOCK, NULL, &now);
    printf("still blocked %d, pending %d\n", sigismember(&now, SIGINT), is_pending(SIGINT));
    signal(SIGINT, note);
    sigemptyset(&now);
    sigprocmask(SIG_SETMASK, &now, NULL);
    show("then");
}

static sem_t ready;

static void *waiter(void *unused) {
    sigset_t set = set_of(SIGUSR1, SIGUSR2), now;
    pthread_sigmask(SIG_BLOCK, NULL, &now);
    printf("inherited %d %d\n", sigismember(&now, SIGUSR1), sigismember(&now, SIGINT));
    for (int i = 0; i < 2; i++) {
        int signal;
        sigwait(&set, &signal);
        printf("got %d\n", signal == SIGUSR1 ? 1 : 2);
        sem_post(&ready);
    }
    return unused;
}

static void threads(void) {
    sigset_t set = set_of(SIGUSR1, SIGUSR2), now;
    pthread_t thread;
    sem_init(&ready, 0, 0);
    pthread_sigmask(SIG_BLOCK, &set, NULL);
    pthread_create(&thread, NULL, waiter, NULL);
    kill(getpid(), SIGUSR1);
    sem_wait(&ready);
    pthread_kill(thread, SIGUSR2);
    sem_wait(&ready);
    printf("not for this one %d\n", is_pending(SIGUSR2));
    pthread_join(thread, NULL);
    pthread_kill(pthread_self(), SIGUSR1);
    printf("own %d, none %d, bad %d\n", is_pending(SIGUSR1), pthread_kill(pthread_self(), 0),
           pthread_kill(pthread_self(), 1000) == EINVAL);
    pthread_sigmask(SIG_UNBLOCK, &set, &now);
    show("threads");
}

int main(void) {
    blocked();
    handlers();
    waits();
    jumps();
    threads();
    sigset_t set = set_of(SIGTERM, 0);
    sigprocmask(SIG_BLOCK, &set, NULL);
    raise(SIGTERM);
    signal(SIGTERM, note);
    sigprocmask(SIG_UNBLOCK, &set, NULL);
    show("at the end");
    return 0;
}
