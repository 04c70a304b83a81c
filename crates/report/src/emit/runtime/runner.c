static const struct refrain_test *refrain_current;

/* The program does not do what the test was made for: it has changed. */
static void refrain_misfit(void) {
    signal(SIGUSR1, SIG_DFL);
    raise(SIGUSR1);
    _exit(125);
}

/* A name that was used before has a number: x, x_2, x_3. */
static int refrain_is_named(const char *found, const char *name, unsigned number) {
    size_t len = strlen(name);
    char end[16] = "";
    if (number > 1) snprintf(end, sizeof end, "_%u", number);
    return strncmp(found, name, len) == 0 && strcmp(found + len, end) == 0;
}

static void refrain_fill(void *to, unsigned long size, const char *name) {
    static unsigned char used[65536];
    unsigned long count = refrain_current ? refrain_current->count : 0;
    for (unsigned number = 1; number <= count; number++)
        for (unsigned long at = 0; at < count && at < sizeof used; at++) {
            const struct refrain_input *input = &refrain_current->inputs[at];
            if (used[at] || !refrain_is_named(input->name, name, number)) continue;
            if (input->size != size) refrain_misfit();
            used[at] = 1;
            memcpy(to, input->bytes, size);
            return;
        }
    refrain_misfit();
}

__attribute__((unused)) static const char *refrain_named(const char *name) { return name && *name ? name : "unnamed"; }

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
