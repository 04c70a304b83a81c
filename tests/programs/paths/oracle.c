/* What the programs of this folder are linked with natively to count their paths: a run for every input of the domain,
   each in a process of its own, forked before `main`.

   ORACLE_DOMAIN has a line for each variable: its name, the number of its values, the values. An array is declared by
   its elements, `name[0]` and so on. ORACLE_OUT is the file for the result: a line for each input, the last variable
   changing fastest, with the hash of the trace of basic blocks and the outcome. */
#include <fcntl.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

enum { MOST_VARIABLES = 16, MOST_VALUES = 4096, MOST_NAMES = 16, SECONDS = 20 };

/* What only the run itself knows of how it ended; otherwise its exit status or its signal say it. */
enum { BY_STATUS, ASSUMPTION, ASSERTION, MEMORY, BROKEN };

struct run {
    uint64_t trace;
    int end;
    int status;
};

struct variable {
    char name[64];
    int count, chosen;
    long long values[MOST_VALUES];
};

static struct variable variables[MOST_VARIABLES];
static int variable_count;
static struct run *run;

/* The trace. Every step goes to where the parent sees it, however the run ends. */

static uint64_t before_start;
static uint64_t *trace = &before_start;

void __sanitizer_cov_trace_pc_guard_init(uint32_t *from, uint32_t *to) {
    static uint32_t blocks;
    if (from == to || *from) return;
    while (from < to) *from++ = ++blocks;
}

void __sanitizer_cov_trace_pc_guard(uint32_t *guard) {
    uint64_t mixed = (*trace ^ *guard) * 0x9e3779b97f4a7c15u;
    *trace = mixed ^ mixed >> 29;
}

/* Ends. */

static _Noreturn void finish(int end) {
    if (run) run->end = end;
    _exit(119);
}

static _Noreturn void broken(const char *what, const char *name) {
    fprintf(stderr, "oracle: %s: %s\n", what, name);
    finish(BROKEN);
}

void __assert_fail(const char *condition, const char *file, unsigned line, const char *function) {
    (void)condition, (void)file, (void)line, (void)function;
    finish(ASSERTION);
}

void klee_silent_exit(int status) {
    (void)status;
    finish(ASSUMPTION);
}

void reach_error(void) { finish(ASSERTION); }
void __VERIFIER_error(void) { finish(ASSERTION); }
void klee_report_error(const char *file, int line, const char *message, const char *suffix) {
    (void)file, (void)line, (void)message, (void)suffix;
    finish(ASSERTION);
}
void klee_abort(void) { abort(); }

/* Called by the address sanitizer before its report. */
void __asan_on_error(void) { finish(MEMORY); }

/* Signals are the parent's business. */
#define LEFT_ALONE "handle_segv=0:handle_sigbus=0:handle_sigfpe=0:handle_sigill=0:handle_abort=0"
const char *__ubsan_default_options(void) { return LEFT_ALONE; }
const char *__asan_default_options(void) { return LEFT_ALONE ":detect_leaks=0:symbolize=0"; }

/* Inputs. */

static struct variable *find(const char *name) {
    for (int i = 0; i < variable_count; i++)
        if (strcmp(variables[i].name, name) == 0) return &variables[i];
    return NULL;
}

static void put(char *to, size_t size, const struct variable *variable) {
    long long value = variable->values[variable->chosen];
    for (size_t i = 0; i < size; i++) to[i] = (char)(i < 8 ? value >> (8 * i) : value >> 63);
}

/* The second input of a name has the name with a 2, and so on. */
static const char *numbered(const char *name) {
    static char used[MOST_NAMES][64];
    static int count;
    static char unique[96];
    int number = 1;
    for (int i = 0; i < count; i++) number += strcmp(used[i], name) == 0;
    if (count == MOST_NAMES) broken("too many inputs", name);
    snprintf(used[count++], sizeof used[0], "%s", name);
    if (number == 1) return name;
    snprintf(unique, sizeof unique, "%s_%d", name, number);
    return unique;
}

static void fill(void *address, size_t size, const char *name) {
    const char *unique = numbered(name);
    const struct variable *whole = find(unique);
    if (whole) {
        put(address, size, whole);
        return;
    }
    size_t count = 0;
    char element[128];
    while (snprintf(element, sizeof element, "%s[%zu]", unique, count), find(element)) count++;
    if (count == 0 || size % count != 0) broken("an input that is not declared", unique);
    for (size_t i = 0; i < count; i++) {
        snprintf(element, sizeof element, "%s[%zu]", unique, i);
        put((char *)address + i * (size / count), size / count, find(element));
    }
}

void klee_make_symbolic(void *address, size_t size, const char *name) { fill(address, size, name); }

void klee_assume(uintptr_t condition) {
    if (!condition) finish(ASSUMPTION);
}

void __VERIFIER_assume(int condition) {
    if (!condition) finish(ASSUMPTION);
}

int klee_int(const char *name) {
    int value;
    fill(&value, sizeof value, name);
    return value;
}

int klee_range(int begin, int end, const char *name) {
    int value = klee_int(name);
    if (value < begin || value >= end) finish(ASSUMPTION);
    return value;
}

uintptr_t klee_choose(uintptr_t count) {
    uintptr_t value;
    fill(&value, sizeof value, "klee_choose");
    if (value >= count) finish(ASSUMPTION);
    return value;
}

/* Wishes and questions are nothing to a native run. */
void klee_prefer_cex(void *object, uintptr_t condition) { (void)object, (void)condition; }
int32_t klee_get_value_i32(int32_t value) { return value; }

void klee_define_fixed_object(void *address, size_t size) {
    uintptr_t from = (uintptr_t)address & ~(uintptr_t)4095, to = (uintptr_t)address + size;
    if (mmap((void *)from, to - from, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0) == MAP_FAILED)
        broken("a fixed object", "cannot be there");
}

#define NONDET(name, type)                                                                                            \
    type __VERIFIER_nondet_##name(void) {                                                                             \
        type value;                                                                                                   \
        fill(&value, sizeof value, "nondet_" #name);                                                                  \
        return value;                                                                                                 \
    }
NONDET(char, char)
NONDET(uchar, unsigned char)
NONDET(short, short)
NONDET(ushort, unsigned short)
NONDET(int, int)
NONDET(uint, unsigned)
NONDET(long, long)
NONDET(ulong, unsigned long)

/* All runs. */

static void read_domain(const char *text) {
    while (*text) {
        if (variable_count == MOST_VARIABLES) broken("too many variables", text);
        struct variable *variable = &variables[variable_count++];
        int length = 0;
        if (sscanf(text, "%63s %d%n", variable->name, &variable->count, &length) != 2) broken("a domain", text);
        if (variable->count < 1 || variable->count > MOST_VALUES) broken("a number of values", text);
        char *at = (char *)text + length;
        for (int i = 0; i < variable->count; i++) variable->values[i] = strtoll(at, &at, 10);
        if (*at != '\n') broken("the values", variable->name);
        text = at + 1;
    }
}

static int next_input(void) {
    for (int i = variable_count; i-- > 0;) {
        if (++variables[i].chosen < variables[i].count) return 1;
        variables[i].chosen = 0;
    }
    return 0;
}

static void begin_run(struct run *own) {
    run = own;
    int null = open("/dev/null", O_RDWR);
    dup2(null, 0);
    dup2(null, 1);
    if (!getenv("ORACLE_VERBOSE")) dup2(null, 2);
    alarm(SECONDS);
    trace = &own->trace;
}

static void describe(FILE *out, const struct run *result) {
    fprintf(out, "%016llx ", (unsigned long long)result->trace);
    switch (result->end) {
    case ASSUMPTION: fprintf(out, "none\n"); break;
    case ASSERTION: fprintf(out, "assertion\n"); break;
    case MEMORY: fprintf(out, "memory\n"); break;
    case BROKEN: fprintf(out, "broken\n"); break;
    default:
        if (WIFEXITED(result->status))
            fprintf(out, "exit %d\n", WEXITSTATUS(result->status));
        else if (WTERMSIG(result->status) == SIGSEGV || WTERMSIG(result->status) == SIGBUS)
            fprintf(out, "memory\n");
        else
            fprintf(out, "signal %d\n", WTERMSIG(result->status));
    }
}

/* A child goes on to the program's own `main`; the parent never does. */
__attribute__((constructor(101))) static void all_runs(void) {
    const char *domain = getenv("ORACLE_DOMAIN"), *file = getenv("ORACLE_OUT");
    if (!domain || !file) return;
    read_domain(domain);
    size_t count = 1;
    for (int i = 0; i < variable_count; i++) count *= (size_t)variables[i].count;
    struct run *runs = mmap(NULL, count * sizeof *runs, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (runs == MAP_FAILED) _exit(120);
    struct rlimit none = {0, 0};
    setrlimit(RLIMIT_CORE, &none);
    for (size_t i = 0; i < count; i++) {
        pid_t child = fork();
        if (child < 0) _exit(121);
        if (child == 0) {
            begin_run(&runs[i]);
            return;
        }
        waitpid(child, &runs[i].status, 0);
        next_input();
    }
    FILE *out = fopen(file, "w");
    if (!out) _exit(122);
    for (size_t i = 0; i < count; i++) describe(out, &runs[i]);
    fclose(out);
    _exit(0);
}
