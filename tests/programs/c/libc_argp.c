/* argp: options, arguments, children, help and usage, and what is said of mistakes. */
#define _GNU_SOURCE
#include <argp.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const char *argp_program_version = "tool 1.2";
const char *argp_program_bug_address = "<bugs@example.org>";

static const char doc[] =
    "Does something to FILEs, which is told in more words than one line has room for, so that it is broken into two.\v"
    "What comes after the options, with a word-that-is-longer-than-any-line-could-ever-have-room-for-in-a-terminal-of-any-size at its end.";
static const char args_doc[] = "FILE...\n--list\nFROM TO";

static const struct argp_option options[] = {
    {"verbose", 'v', 0, 0, "Say more", 0},
    {"quiet", 'q', 0, 0, "Say less", 0},
    {"silent", 's', 0, OPTION_ALIAS, 0, 0},
    {"output", 'o', "FILE", 0, "Write to FILE instead of to standard output, whatever that is connected to", 0},
    {"level", 'l', "N", OPTION_ARG_OPTIONAL, "Level", 0},
    {"a-name-of-many-letters-indeed", 'n', "NUMBER", 0, "Is behind the column of texts", 0},
    {0, 0, 0, 0, "Of the second group:", 0},
    {"zeta", 'z', 0, 0, "Last", 0},
    {"alpha", 1000, "X", 0, "First", 0},
    {"Beta", 'B', 0, 0, "Upper", 0},
    {0, 'b', 0, 0, "Lower", 0},
    {0, 'f', "FACTOR", 0, "Only a letter", 0},
    {"hidden", 'h', 0, OPTION_HIDDEN, "Not shown", 0},
    {"unused", 'u', 0, OPTION_NO_USAGE, "Not in the usage", 0},
    {"  --looks-like", 0, 0, OPTION_DOC | OPTION_NO_USAGE, "Documentation", 0},
    {"ENVIRONMENT", 0, 0, OPTION_DOC | OPTION_NO_USAGE, "More of it", 5},
    {0},
};

struct seen {
  char text[600];
};

static void note(struct argp_state *state, const char *what, const char *arg) {
  struct seen *seen = state->input;
  size_t len = strlen(seen->text);
  snprintf(seen->text + len, sizeof seen->text - len, " %s%s%s/%u", what, arg ? "=" : "", arg ? arg : "",
           state->arg_num);
}

static error_t parse(int key, char *arg, struct argp_state *state) {
  char name[16];
  switch (key) {
  case ARGP_KEY_INIT:
    state->child_inputs[0] = state->input;
    note(state, "init", 0);
    return 0;
  case ARGP_KEY_ARG:
    if (strcmp(arg, "stop") == 0)
      argp_error(state, "stopped at %s, argument %u", arg, state->arg_num);
    if (strcmp(arg, "fail") == 0)
      argp_failure(state, 0, ENOENT, "failed at %d", state->next);
    if (strcmp(arg, "usage") == 0)
      argp_usage(state);
    if (strcmp(arg, "refuse") == 0)
      return ARGP_ERR_UNKNOWN;
    if (strcmp(arg, "error") == 0)
      return EBUSY;
    note(state, state->quoted ? "quoted" : "arg", arg);
    return 0;
  case ARGP_KEY_NO_ARGS:
    note(state, "none", 0);
    return 0;
  case ARGP_KEY_END:
    note(state, "end", 0);
    return 0;
  case ARGP_KEY_SUCCESS:
    note(state, "success", 0);
    return 0;
  case ARGP_KEY_ERROR:
    note(state, "error", 0);
    return 0;
  case ARGP_KEY_FINI:
    note(state, "fini", 0);
    return 0;
  case ARGP_KEY_ARGS:
    return ARGP_ERR_UNKNOWN;
  }
  if (strchr("vqsolnzBbfhu", key) || key == 1000) {
    snprintf(name, sizeof name, key > 255 ? "%d" : "%c", key);
    note(state, name, arg);
    return 0;
  }
  return ARGP_ERR_UNKNOWN;
}

static const struct argp_option child_options[] = {
    {"child", 'c', "WHAT", 0, "Of the child", 0},
    {"verbose", 'v', 0, 0, "Shadowed", 0},
    {"extra", 'x', 0, 0, "Also of the child", 1},
    {0},
};

static error_t parse_child(int key, char *arg, struct argp_state *state) {
  switch (key) {
  case ARGP_KEY_INIT:
    note(state, "child-init", 0);
    return 0;
  case 'c':
  case 'x':
    note(state, key == 'c' ? "child" : "extra", arg);
    return 0;
  case ARGP_KEY_END:
    note(state, "child-end", 0);
    return 0;
  }
  return ARGP_ERR_UNKNOWN;
}

static char *filter(int key, const char *text, void *input) {
  (void)input;
  if (key == ARGP_KEY_HELP_EXTRA)
    return strdup("Extra text.");
  if (key == 'c')
    return strdup("Of the child, changed");
  return (char *)text;
}

static const struct argp child = {child_options, parse_child, "[CHILD]", "Child's own.\vAfter the child.", 0, filter, 0};
static const struct argp_child children[] = {{&child, 0, "Options of the child:", 0}, {0}};
static const struct argp whole = {options, parse, args_doc, doc, children, 0, 0};

static void run(unsigned flags, int with_end, ...) {
  char *words[12] = {"./path/tool"};
  int count = 1, end = -1;
  __builtin_va_list list;
  __builtin_va_start(list, with_end);
  for (char *word; (word = __builtin_va_arg(list, char *));)
    words[count++] = word;
  __builtin_va_end(list);
  struct seen seen = {""};
  printf("--");
  for (int i = 1; i < count; i++)
    printf(" %s", words[i]);
  printf(" (%x)\n", flags);
  error_t error = argp_parse(&whole, count, words, flags | ARGP_NO_EXIT, with_end ? &end : NULL, &seen);
  printf("%d %d:%s\n", error, end, seen.text);
}

int main(void) {
  /* What argp and getopt say is part of the output. */
  stderr = stdout;
  run(0, 0, (char *)0);
  run(0, 0, "one", "-v", "two", (char *)0);
  run(0, 0, "-vqofile", "--level", "--level=3", "-l4", "-l", "x", (char *)0);
  run(0, 0, "--out", "file", "--alpha=5", "--child", "c", "-x", (char *)0);
  run(0, 0, "-v", "--", "-q", "--zeta", (char *)0);
  run(ARGP_IN_ORDER, 0, "one", "-v", "two", (char *)0);
  run(ARGP_NO_ARGS, 1, "-v", "one", "-q", (char *)0);
  run(ARGP_NO_ARGS, 0, "-v", "one", (char *)0);
  run(0, 1, "one", "refuse", "two", (char *)0);
  run(0, 0, "one", "refuse", (char *)0);
  run(0, 0, "error", (char *)0);
  run(0, 0, "stop", (char *)0);
  run(0, 0, "fail", (char *)0);
  run(0, 0, "usage", (char *)0);
  run(0, 0, "-y", (char *)0);
  run(0, 0, "--nothing", (char *)0);
  run(0, 0, "--al", (char *)0);
  run(0, 0, "--verbose=3", (char *)0);
  run(ARGP_NO_ERRS, 0, "-y", (char *)0);
  run(ARGP_LONG_ONLY, 0, "-zeta", "-v", (char *)0);
  run(0, 0, "--version", (char *)0);
  run(0, 0, "--usage", (char *)0);
  run(0, 0, "--help", (char *)0);
  run(ARGP_NO_HELP, 0, "--help", (char *)0);
  argp_help(&child, stdout, ARGP_HELP_STD_HELP, "name");
  struct seen seen = {""};
  char *words[] = {"tool", "--help", 0};
  fflush(stdout);
  return argp_parse(&whole, 2, words, 0, NULL, &seen);
}
