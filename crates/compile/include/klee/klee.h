/* What a program can tell the engine about its inputs, under the names that KLEE gave these functions, so that
   programs prepared for KLEE run unchanged. */
#ifndef KLEE_H
#define KLEE_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Inputs. The bytes at `address` can have any value from now on; `name` is for reports and tests. */
void klee_make_symbolic(void *address, size_t size, const char *name);
/* Any integer. */
int klee_int(const char *name);
/* Any integer from `begin` on and below `end`. */
int klee_range(int begin, int end, const char *name);
/* Any number below `count`. */
uintptr_t klee_choose(uintptr_t count);

/* Conditions. Only runs in which `condition` is not zero go on. */
void klee_assume(uintptr_t condition);
/* Among the values that show the same, those are chosen for a test that satisfy `condition`, if there are any. */
void klee_prefer_cex(void *object, uintptr_t condition);
void klee_posix_prefer_cex(void *object, uintptr_t condition);

/* Ends. None of these returns. */
void klee_silent_exit(int status) __attribute__((noreturn));
void klee_abort(void) __attribute__((noreturn));
void klee_report_error(const char *file, int line, const char *message, const char *suffix) __attribute__((noreturn));

/* Questions. */
unsigned klee_is_symbolic(uintptr_t value);
unsigned klee_is_replay(void);
size_t klee_get_obj_size(void *object);
int klee_get_errno(void);
/* Stops the run with an error unless all of these bytes can be read and written. */
void klee_check_memory_access(const void *address, size_t size);

/* One value that the argument can have; the run is not bound to it. */
float klee_get_valuef(float value);
double klee_get_valued(double value);
long klee_get_valuel(long value);
long long klee_get_valuell(long long value);
int8_t klee_get_value_i8(int8_t value);
int16_t klee_get_value_i16(int16_t value);
int32_t klee_get_value_i32(int32_t value);
int64_t klee_get_value_i64(int64_t value);
uint8_t klee_get_value_u8(uint8_t value);
uint16_t klee_get_value_u16(uint16_t value);
uint32_t klee_get_value_u32(uint32_t value);
uint64_t klee_get_value_u64(uint64_t value);
float klee_get_value_f(float value);
double klee_get_value_d(double value);
void *klee_get_value_ptr(void *value);

/* Words to the one who watches. */
void klee_warning(const char *message);
void klee_warning_once(const char *message);
void klee_print_expr(const char *message, ...);
void klee_print_range(const char *name, int value);
void klee_stack_trace(void);

/* The way of running. */
void klee_open_merge(void);
void klee_close_merge(void);
void klee_merge(void);
/* While `enable` is zero, the run does not fork: it goes on the way that one input takes. */
void klee_set_forking(unsigned enable);
/* From here on, whoever calls the function of this name calls the other one. */
void klee_alias_function(const char *name, const char *other);
void klee_mark_global(void *object);
/* Memory that the program expects at an address of its own choice. */
void klee_define_fixed_object(void *address, size_t size);

void __assert_fail(const char *condition, const char *file, unsigned line, const char *function)
#ifdef __cplusplus
    throw()
#endif
    __attribute__((noreturn));

#ifdef __cplusplus
}
#endif

#define klee_assert(condition)                                                                                        \
    ((condition) ? (void)0 : __assert_fail(#condition, __FILE__, __LINE__, __PRETTY_FUNCTION__))

#endif
