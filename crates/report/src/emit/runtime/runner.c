static const struct refrain_test *refrain_current;

/* The program does not do what the test was made for: it has changed. */
static void refrain_misfit(void) {
    signal(SIGUSR1, SIG_DFL);
    raise(SIGUSR1);
    _exit(125);
}

__attribute__((unused)) static void refrain_fill(void *to, unsigned long size, const char *wanted) {
    static unsigned long next; /* a program makes its inputs in the order of the test */
    const char *name = refrain_name(wanted);
    unsigned long count = refrain_current ? refrain_current->count : 0;
    for (unsigned long looked = 0; looked < count; looked++, next++) {
        const struct refrain_input *input = &refrain_current->inputs[next % count];
        if (strcmp(input->name, name) != 0) continue;
        if (input->size != size) refrain_misfit();
        memcpy(to, input->bytes, size);
        return;
    }
    refrain_misfit();
}

__attribute__((unused)) static const char *refrain_named(const char *name) { return name && *name ? name : "unnamed"; }
__attribute__((unused)) static void refrain_contradict(const char *what) { (void)what, refrain_misfit(); }
__attribute__((unused)) static void refrain_cannot(const char *what) { (void)what, refrain_misfit(); }
__attribute__((unused)) static void refrain_silent(void) { refrain_misfit(); }
__attribute__((unused)) static void refrain_say(const char *front, const char *text) { (void)front, (void)text; }
__attribute__((unused)) static void refrain_say_number(const char *name, long value) { (void)name, (void)value; }

/* Why a test has failed, or null. */
static const char *refrain_judge(const struct refrain_test *test, int status) {
    if (WIFSIGNALED(status) && WTERMSIG(status) == SIGUSR1) return "the program takes other inputs than the test has";
    if (WIFSIGNALED(status) && WTERMSIG(status) == SIGALRM) return "it does not end";
    if (test->end == REFRAIN_MAY_DIE) return NULL;
    if (test->end == REFRAIN_DIES) return WIFSIGNALED(status) ? NULL : "the error does not happen any more";
    if (!WIFEXITED(status)) return "the program dies";
    if (test->end == REFRAIN_EXITS && WEXITSTATUS(status) != (test->status & 0xff)) return "the exit status is another one";
    return NULL;
}

static int refrain_run_all(void) {
    unsigned long count = 0, failed = 0, skipped = 0;
    for (const struct refrain_test *test = refrain_tests; test->name; test++) {
        const char *why;
        int status = 0;
        pid_t child;
        count++;
        fflush(stdout);
        child = fork();
        if (child == 0) {
            int nothing = open("/dev/null", O_RDWR);
            dup2(nothing, 0);
            dup2(nothing, 1);
            dup2(nothing, 2);
            setenv("REFRAIN_TEST", test->name, 1);
            /* What sanitizers find ends the process as other errors do. */
            setenv("ASAN_OPTIONS", "abort_on_error=1:detect_leaks=0:detect_stack_use_after_return=1:allocator_may_return_null=1", 1);
            setenv("UBSAN_OPTIONS", "halt_on_error=1:abort_on_error=1", 1);
            alarm(60);
            execv("/proc/self/exe", (char *const *)test->args);
            _exit(127);
        }
        if (child < 0 || waitpid(child, &status, 0) != child) {
            perror("cannot run a test");
            return 2;
        }
        why = refrain_judge(test, status);
        if (!why && test->end == REFRAIN_MAY_DIE && !WIFSIGNALED(status)) {
            skipped++;
            printf("%s: skipped, since the error does not show\n", test->name);
        }
        if (why) {
            failed++;
            printf("%s: FAILED: %s\n", test->name, why);
        }
    }
    printf("%lu tests: %lu passed, %lu failed, %lu skipped\n", count, count - failed - skipped, failed, skipped);
    return failed > 0;
}

/* In a test's own process: which one it is. */
static int refrain_is_test(void) {
    const char *name = getenv("REFRAIN_TEST");
    if (!name) return 0;
    for (const struct refrain_test *test = refrain_tests; test->name; test++)
        if (strcmp(test->name, name) == 0) refrain_current = test;
    unsetenv("REFRAIN_TEST");
    if (!refrain_current) refrain_misfit();
    return 1;
}
