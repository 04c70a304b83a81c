//! `string.h`, `strings.h` and `libgen.h`: byte loops, one branch a byte.

use crate::native::{__refrain_compare, __refrain_compared_len, malloc, memcpy, memmove, memset};
use core::ffi::{CStr, c_int, c_void};
use core::ptr::{null, null_mut};

/// Lower case without a branch.
#[inline(always)]
pub fn lower(c: u8) -> u8 {
    c.wrapping_add((((c.wrapping_sub(b'A')) < 26) as u8) << 5)
}

#[inline(always)]
pub fn is_digit(c: u8) -> bool {
    c.wrapping_sub(b'0') < 10
}

#[inline(always)]
#[cfg_attr(not(test), unsafe(no_mangle))]
pub unsafe extern "C" fn strlen(s: *const u8) -> usize {
    let mut n = 0;
    while *s.add(n) != 0 {
        n += 1;
    }
    n
}

#[inline(always)]
#[cfg_attr(not(test), unsafe(no_mangle))]
pub unsafe extern "C" fn strnlen(s: *const u8, max: usize) -> usize {
    let mut n = 0;
    while n < max && *s.add(n) != 0 {
        n += 1;
    }
    n
}

#[inline(always)]
#[cfg_attr(not(test), unsafe(no_mangle))]
pub unsafe extern "C" fn stpcpy(to: *mut u8, from: *const u8) -> *mut u8 {
    let mut i = 0;
    loop {
        let c = *from.add(i);
        *to.add(i) = c;
        if c == 0 {
            return to.add(i);
        }
        i += 1;
    }
}

#[inline(always)]
#[cfg_attr(not(test), unsafe(no_mangle))]
pub unsafe extern "C" fn strcpy(to: *mut u8, from: *const u8) -> *mut u8 {
    stpcpy(to, from);
    to
}

#[inline(always)]
#[cfg_attr(not(test), unsafe(no_mangle))]
pub unsafe extern "C" fn stpncpy(to: *mut u8, from: *const u8, max: usize) -> *mut u8 {
    let mut i = 0;
    while i < max {
        let c = *from.add(i);
        if c == 0 {
            break;
        }
        *to.add(i) = c;
        i += 1;
    }
    let end = to.add(i);
    while i < max {
        *to.add(i) = 0;
        i += 1;
    }
    end
}

#[inline(always)]
#[cfg_attr(not(test), unsafe(no_mangle))]
pub unsafe extern "C" fn strncpy(to: *mut u8, from: *const u8, max: usize) -> *mut u8 {
    stpncpy(to, from, max);
    to
}

#[inline(always)]
#[cfg_attr(not(test), unsafe(no_mangle))]
pub unsafe extern "C" fn strcat(to: *mut u8, from: *const u8) -> *mut u8 {
    stpcpy(to.add(strlen(to)), from);
    to
}

#[inline(always)]
#[cfg_attr(not(test), unsafe(no_mangle))]
pub unsafe extern "C" fn strncat(to: *mut u8, from: *const u8, max: usize) -> *mut u8 {
    let end = to.add(strlen(to));
    let mut i = 0;
    while i < max {
        let c = *from.add(i);
        if c == 0 {
            break;
        }
        *end.add(i) = c;
        i += 1;
    }
    *end.add(i) = 0;
    to
}

#[inline(always)]
#[cfg_attr(not(test), unsafe(no_mangle))]
pub unsafe extern "C" fn strlcpy(to: *mut u8, from: *const u8, size: usize) -> usize {
    let mut i = 0;
    loop {
        let c = *from.add(i);
        if i < size {
            let last = i + 1 == size;
            *to.add(i) = if last { 0 } else { c };
        }
        if c == 0 {
            return i;
        }
        i += 1;
    }
}

#[inline(always)]
#[cfg_attr(not(test), unsafe(no_mangle))]
pub unsafe extern "C" fn strlcat(to: *mut u8, from: *const u8, size: usize) -> usize {
    let start = strnlen(to, size);
    if start == size {
        return size.wrapping_add(strlen(from));
    }
    start + strlcpy(to.add(start), from, size - start)
}

/// Compares strings, at most so many bytes of them: at once where that can be done.
#[inline(never)]
unsafe fn compare_strings(a: *const u8, b: *const u8, max: usize) -> c_int {
    let len = __refrain_compared_len(a, b, max, 1);
    if len != usize::MAX {
        return __refrain_compare(a, b, len, 1);
    }
    let mut i = 0;
    while i < max {
        let (x, y) = (*a.add(i), *b.add(i));
        if x != y {
            return x as c_int - y as c_int;
        }
        if x == 0 {
            return 0;
        }
        i += 1;
    }
    0
}

#[inline(always)]
#[cfg_attr(not(test), unsafe(no_mangle))]
pub unsafe extern "C" fn strcmp(a: *const u8, b: *const u8) -> c_int {
    compare_strings(a, b, usize::MAX)
}

#[inline(always)]
#[cfg_attr(not(test), unsafe(no_mangle))]
pub unsafe extern "C" fn strncmp(a: *const u8, b: *const u8, max: usize) -> c_int {
    compare_strings(a, b, max)
}

#[inline(always)]
#[cfg_attr(not(test), unsafe(no_mangle))]
pub unsafe extern "C" fn strcasecmp(a: *const u8, b: *const u8) -> c_int {
    let mut i = 0;
    loop {
        let (x, y) = (lower(*a.add(i)), lower(*b.add(i)));
        if x != y {
            return x as c_int - y as c_int;
        }
        if x == 0 {
            return 0;
        }
        i += 1;
    }
}

#[inline(always)]
#[cfg_attr(not(test), unsafe(no_mangle))]
pub unsafe extern "C" fn strncasecmp(a: *const u8, b: *const u8, max: usize) -> c_int {
    let mut i = 0;
    while i < max {
        let (x, y) = (lower(*a.add(i)), lower(*b.add(i)));
        if x != y {
            return x as c_int - y as c_int;
        }
        if x == 0 {
            return 0;
        }
        i += 1;
    }
    0
}

#[cfg_attr(not(test), unsafe(no_mangle))]
pub unsafe extern "C" fn strcasecmp_l(a: *const u8, b: *const u8, _locale: *mut c_void) -> c_int {
    strcasecmp(a, b)
}

#[cfg_attr(not(test), unsafe(no_mangle))]
pub unsafe extern "C" fn strncasecmp_l(
    a: *const u8,
    b: *const u8,
    max: usize,
    _locale: *mut c_void,
) -> c_int {
    strncasecmp(a, b, max)
}

#[cfg_attr(not(test), unsafe(no_mangle))]
pub unsafe extern "C" fn strcoll(a: *const u8, b: *const u8) -> c_int {
    strcmp(a, b)
}

#[cfg_attr(not(test), unsafe(no_mangle))]
pub unsafe extern "C" fn strcoll_l(a: *const u8, b: *const u8, _locale: *mut c_void) -> c_int {
    strcmp(a, b)
}

#[cfg_attr(not(test), unsafe(no_mangle))]
pub unsafe extern "C" fn strxfrm(to: *mut u8, from: *const u8, size: usize) -> usize {
    let len = strlen(from);
    stpncpy(to, from, if len < size { len + 1 } else { size });
    len
}

#[inline(always)]
#[cfg_attr(not(test), unsafe(no_mangle))]
pub unsafe extern "C" fn strchr(s: *const u8, wanted: c_int) -> *mut u8 {
    let mut i = 0;
    loop {
        let c = *s.add(i);
        if c == wanted as u8 {
            return s.add(i).cast_mut();
        }
        if c == 0 {
            return null_mut();
        }
        i += 1;
    }
}

#[cfg_attr(not(test), unsafe(no_mangle))]
pub unsafe extern "C" fn strchrnul(s: *const u8, wanted: c_int) -> *mut u8 {
    let mut i = 0;
    loop {
        let c = *s.add(i);
        if c == wanted as u8 {
            return s.add(i).cast_mut();
        }
        if c == 0 {
            return s.add(i).cast_mut();
        }
        i += 1;
    }
}

#[inline(always)]
#[cfg_attr(not(test), unsafe(no_mangle))]
pub unsafe extern "C" fn strrchr(s: *const u8, wanted: c_int) -> *mut u8 {
    let mut i = strlen(s) + 1;
    while i > 0 {
        i -= 1;
        if *s.add(i) == wanted as u8 {
            return s.add(i).cast_mut();
        }
    }
    null_mut()
}

#[cfg_attr(not(test), unsafe(no_mangle))]
pub unsafe extern "C" fn index(s: *const u8, wanted: c_int) -> *mut u8 {
    strchr(s, wanted)
}

#[cfg_attr(not(test), unsafe(no_mangle))]
pub unsafe extern "C" fn rindex(s: *const u8, wanted: c_int) -> *mut u8 {
    strrchr(s, wanted)
}

/// Whether `s` begins with `prefix`.
unsafe fn starts_with(s: *const u8, prefix: *const u8) -> bool {
    let mut i = 0;
    loop {
        let c = *prefix.add(i);
        if c == 0 {
            return true;
        }
        // A shorter `s` ends here too: its terminator is not `c`.
        if *s.add(i) != c {
            return false;
        }
        i += 1;
    }
}

#[cfg_attr(not(test), unsafe(no_mangle))]
pub unsafe extern "C" fn strstr(s: *const u8, wanted: *const u8) -> *mut u8 {
    let mut at = s;
    loop {
        if starts_with(at, wanted) {
            return at.cast_mut();
        }
        if *at == 0 {
            return null_mut();
        }
        at = at.add(1);
    }
}

#[cfg_attr(not(test), unsafe(no_mangle))]
pub unsafe extern "C" fn strcasestr(s: *const u8, wanted: *const u8) -> *mut u8 {
    let len = strlen(wanted);
    let mut at = s;
    loop {
        if strncasecmp(at, wanted, len) == 0 {
            return at.cast_mut();
        }
        if *at == 0 {
            return null_mut();
        }
        at = at.add(1);
    }
}

/// Whether `c`, not the terminator, is one of `set`.
unsafe fn is_in(c: u8, set: *const u8) -> bool {
    let mut i = 0;
    loop {
        let member = *set.add(i);
        if member == 0 {
            return false;
        }
        if member == c {
            return true;
        }
        i += 1;
    }
}

#[inline(always)]
#[cfg_attr(not(test), unsafe(no_mangle))]
pub unsafe extern "C" fn strspn(s: *const u8, set: *const u8) -> usize {
    let mut n = 0;
    loop {
        let c = *s.add(n);
        if c == 0 {
            return n;
        }
        if !is_in(c, set) {
            return n;
        }
        n += 1;
    }
}

#[inline(always)]
#[cfg_attr(not(test), unsafe(no_mangle))]
pub unsafe extern "C" fn strcspn(s: *const u8, set: *const u8) -> usize {
    let mut n = 0;
    loop {
        let c = *s.add(n);
        if c == 0 {
            return n;
        }
        if is_in(c, set) {
            return n;
        }
        n += 1;
    }
}

#[cfg_attr(not(test), unsafe(no_mangle))]
pub unsafe extern "C" fn strpbrk(s: *const u8, set: *const u8) -> *mut u8 {
    let at = s.add(strcspn(s, set));
    if *at == 0 { null_mut() } else { at.cast_mut() }
}

#[inline(always)]
#[cfg_attr(not(test), unsafe(no_mangle))]
pub unsafe extern "C" fn strtok_r(s: *mut u8, set: *const u8, save: *mut *mut u8) -> *mut u8 {
    let mut at = if s.is_null() { *save } else { s };
    if at.is_null() {
        return null_mut();
    }
    at = at.add(strspn(at, set));
    if *at == 0 {
        *save = at;
        return null_mut();
    }
    let end = at.add(strcspn(at, set));
    if *end == 0 {
        *save = end;
    } else {
        *end = 0;
        *save = end.add(1);
    }
    at
}

#[cfg_attr(not(test), unsafe(no_mangle))]
pub unsafe extern "C" fn __strtok_r(s: *mut u8, set: *const u8, save: *mut *mut u8) -> *mut u8 {
    strtok_r(s, set, save)
}

static mut TOKEN: *mut u8 = null_mut();

#[cfg_attr(not(test), unsafe(no_mangle))]
pub unsafe extern "C" fn strtok(s: *mut u8, set: *const u8) -> *mut u8 {
    strtok_r(s, set, &raw mut TOKEN)
}

#[cfg_attr(not(test), unsafe(no_mangle))]
pub unsafe extern "C" fn strsep(cursor: *mut *mut u8, set: *const u8) -> *mut u8 {
    let start = *cursor;
    if start.is_null() {
        return null_mut();
    }
    let end = start.add(strcspn(start, set));
    if *end == 0 {
        *cursor = null_mut();
    } else {
        *end = 0;
        *cursor = end.add(1);
    }
    start
}

#[inline(always)]
#[cfg_attr(not(test), unsafe(no_mangle))]
pub unsafe extern "C" fn strdup(s: *const u8) -> *mut u8 {
    let size = strlen(s) + 1;
    let copy = malloc(size).cast::<u8>();
    if !copy.is_null() {
        memcpy(copy.cast(), s.cast(), size);
    }
    copy
}

#[cfg_attr(not(test), unsafe(no_mangle))]
pub unsafe extern "C" fn __strdup(s: *const u8) -> *mut u8 {
    strdup(s)
}

#[inline(always)]
#[cfg_attr(not(test), unsafe(no_mangle))]
pub unsafe extern "C" fn strndup(s: *const u8, max: usize) -> *mut u8 {
    let len = strnlen(s, max);
    let copy = malloc(len + 1).cast::<u8>();
    if !copy.is_null() {
        memcpy(copy.cast(), s.cast(), len);
        *copy.add(len) = 0;
    }
    copy
}

#[cfg_attr(not(test), unsafe(no_mangle))]
pub unsafe extern "C" fn __strndup(s: *const u8, max: usize) -> *mut u8 {
    strndup(s, max)
}

#[cfg_attr(not(test), unsafe(no_mangle))]
pub unsafe extern "C" fn memchr(s: *const u8, wanted: c_int, len: usize) -> *mut u8 {
    let mut i = 0;
    while i < len {
        if *s.add(i) == wanted as u8 {
            return s.add(i).cast_mut();
        }
        i += 1;
    }
    null_mut()
}

#[cfg_attr(not(test), unsafe(no_mangle))]
pub unsafe extern "C" fn memrchr(s: *const u8, wanted: c_int, len: usize) -> *mut u8 {
    let mut i = len;
    while i > 0 {
        i -= 1;
        if *s.add(i) == wanted as u8 {
            return s.add(i).cast_mut();
        }
    }
    null_mut()
}

#[inline(always)]
#[cfg_attr(not(test), unsafe(no_mangle))]
pub unsafe extern "C" fn rawmemchr(s: *const u8, wanted: c_int) -> *mut u8 {
    let mut i = 0;
    while *s.add(i) != wanted as u8 {
        i += 1;
    }
    s.add(i).cast_mut()
}

#[inline(always)]
#[cfg_attr(not(test), unsafe(no_mangle))]
pub unsafe extern "C" fn memcmp(a: *const u8, b: *const u8, len: usize) -> c_int {
    if __refrain_compared_len(a, b, len, 0) != usize::MAX {
        return __refrain_compare(a, b, len, 0);
    }
    let mut i = 0;
    while i < len {
        let (x, y) = (*a.add(i), *b.add(i));
        if x != y {
            return x as c_int - y as c_int;
        }
        i += 1;
    }
    0
}

#[cfg_attr(not(test), unsafe(no_mangle))]
pub unsafe extern "C" fn bcmp(a: *const u8, b: *const u8, len: usize) -> c_int {
    memcmp(a, b, len)
}

#[cfg_attr(not(test), unsafe(no_mangle))]
pub unsafe extern "C" fn memmem(
    s: *const u8,
    len: usize,
    wanted: *const u8,
    wanted_len: usize,
) -> *mut u8 {
    if wanted_len > len {
        return null_mut();
    }
    let mut i = 0;
    while i <= len - wanted_len {
        if memcmp(s.add(i), wanted, wanted_len) == 0 {
            return s.add(i).cast_mut();
        }
        i += 1;
    }
    null_mut()
}

#[cfg_attr(not(test), unsafe(no_mangle))]
pub unsafe extern "C" fn memccpy(to: *mut u8, from: *const u8, last: c_int, len: usize) -> *mut u8 {
    let mut i = 0;
    while i < len {
        let c = *from.add(i);
        *to.add(i) = c;
        i += 1;
        if c == last as u8 {
            return to.add(i);
        }
    }
    null_mut()
}

#[inline(always)]
#[cfg_attr(not(test), unsafe(no_mangle))]
pub unsafe extern "C" fn mempcpy(to: *mut u8, from: *const u8, len: usize) -> *mut u8 {
    memcpy(to.cast(), from.cast(), len);
    to.add(len)
}

#[cfg_attr(not(test), unsafe(no_mangle))]
pub unsafe extern "C" fn __mempcpy(to: *mut u8, from: *const u8, len: usize) -> *mut u8 {
    mempcpy(to, from, len)
}

#[cfg_attr(not(test), unsafe(no_mangle))]
pub unsafe extern "C" fn __stpcpy(to: *mut u8, from: *const u8) -> *mut u8 {
    stpcpy(to, from)
}

#[cfg_attr(not(test), unsafe(no_mangle))]
pub unsafe extern "C" fn __rawmemchr(s: *const u8, wanted: c_int) -> *mut u8 {
    rawmemchr(s, wanted)
}

#[cfg_attr(not(test), unsafe(no_mangle))]
pub unsafe extern "C" fn bzero(to: *mut u8, len: usize) {
    memset(to.cast(), 0, len);
}

#[cfg_attr(not(test), unsafe(no_mangle))]
pub unsafe extern "C" fn explicit_bzero(to: *mut u8, len: usize) {
    memset(to.cast(), 0, len);
}

#[cfg_attr(not(test), unsafe(no_mangle))]
pub unsafe extern "C" fn bcopy(from: *const u8, to: *mut u8, len: usize) {
    memmove(to.cast(), from.cast(), len);
}

#[cfg_attr(not(test), unsafe(no_mangle))]
pub unsafe extern "C" fn swab(from: *const u8, to: *mut u8, len: isize) {
    let mut i = 0;
    while i + 1 < len {
        let (a, b) = (*from.offset(i), *from.offset(i + 1));
        *to.offset(i) = b;
        *to.offset(i + 1) = a;
        i += 2;
    }
}

#[cfg_attr(not(test), unsafe(no_mangle))]
pub unsafe extern "C" fn memfrob(s: *mut u8, len: usize) -> *mut u8 {
    let mut i = 0;
    while i < len {
        *s.add(i) ^= 42;
        i += 1;
    }
    s
}

#[inline(always)]
#[cfg_attr(not(test), unsafe(no_mangle))]
pub unsafe extern "C" fn ffsll(value: i64) -> c_int {
    if value == 0 {
        0
    } else {
        value.trailing_zeros() as c_int + 1
    }
}

#[cfg_attr(not(test), unsafe(no_mangle))]
pub unsafe extern "C" fn ffsl(value: i64) -> c_int {
    ffsll(value)
}

#[cfg_attr(not(test), unsafe(no_mangle))]
pub unsafe extern "C" fn ffs(value: c_int) -> c_int {
    ffsll(value as i64)
}

#[inline(always)]
#[cfg_attr(not(test), unsafe(no_mangle))]
pub unsafe extern "C" fn strverscmp(a: *const u8, b: *const u8) -> c_int {
    let mut i = 0;
    while *a.add(i) == *b.add(i) {
        if *a.add(i) == 0 {
            return 0;
        }
        i += 1;
    }
    let (x, y) = (*a.add(i), *b.add(i));
    let plain = x as c_int - y as c_int;
    // The digits both share right before the difference.
    let mut start = i;
    let mut zeros = true;
    while start > 0 && is_digit(*a.add(start - 1)) {
        start -= 1;
        zeros &= *a.add(start) == b'0';
    }
    let fraction = if start < i {
        *a.add(start) == b'0'
    } else {
        x == b'0' || y == b'0'
    };
    if fraction {
        // A leading zero makes the digits a fraction, and of two that begin
        // with nothing but zeros the one with more of anything is the smaller.
        if start < i && zeros {
            if is_digit(x) && !is_digit(y) {
                return -1;
            }
            if is_digit(y) && !is_digit(x) {
                return 1;
            }
        }
        return plain;
    }
    if start == i && !(is_digit(x) && is_digit(y)) {
        return plain;
    }
    // Two integers: the longer is the larger.
    let mut j = i;
    loop {
        let (more_a, more_b) = (is_digit(*a.add(j)), is_digit(*b.add(j)));
        if more_a != more_b {
            return if more_a { 1 } else { -1 };
        }
        if !more_a {
            return plain;
        }
        j += 1;
    }
}

/// GNU's `basename`: what follows the last slash, perhaps nothing.
#[inline(always)]
#[cfg_attr(not(test), unsafe(no_mangle))]
pub unsafe extern "C" fn basename(path: *const u8) -> *mut u8 {
    let slash = strrchr(path, b'/' as c_int);
    if slash.is_null() {
        path.cast_mut()
    } else {
        slash.add(1)
    }
}

/// The `basename` of `libgen.h`, which cuts trailing slashes off its argument.
#[cfg_attr(not(test), unsafe(no_mangle))]
pub unsafe extern "C" fn __xpg_basename(path: *mut u8) -> *mut u8 {
    if path.is_null() || *path == 0 {
        return c".".as_ptr().cast_mut().cast();
    }
    let mut end = strlen(path);
    while end > 1 && *path.add(end - 1) == b'/' {
        end -= 1;
    }
    if end == 1 && *path == b'/' {
        // Nothing but slashes: the last of them.
        return path.add(strlen(path) - 1);
    }
    *path.add(end) = 0;
    basename(path)
}

#[cfg_attr(not(test), unsafe(no_mangle))]
pub unsafe extern "C" fn dirname(path: *mut u8) -> *mut u8 {
    let dot: *mut u8 = c".".as_ptr().cast_mut().cast();
    if path.is_null() {
        return dot;
    }
    let mut end = strlen(path);
    let mut all_slashes = true;
    // Back over trailing slashes, the last component, the slashes before it.
    while end > 0 && *path.add(end - 1) == b'/' {
        end -= 1;
    }
    while end > 0 && *path.add(end - 1) != b'/' {
        all_slashes = false;
        end -= 1;
    }
    if end == 0 {
        if !all_slashes || *path == 0 {
            return dot;
        }
        end = strlen(path);
    }
    let slashes_end = end;
    while end > 0 && *path.add(end - 1) == b'/' {
        end -= 1;
    }
    if end == 0 {
        // The root; exactly two leading slashes are a name of their own.
        end = if slashes_end == 2 { 2 } else { 1 };
    }
    *path.add(end) = 0;
    path
}

/// Writes `value` in decimal at `to`, unterminated; the number of bytes.
pub unsafe fn write_decimal(to: *mut u8, value: i64) -> usize {
    let mut digits = [0u8; 20];
    let digits = (&raw mut digits).cast::<u8>();
    let mut rest = value.unsigned_abs();
    let mut count = 0;
    loop {
        *digits.add(count) = b'0' + (rest % 10) as u8;
        rest /= 10;
        count += 1;
        if rest == 0 {
            break;
        }
    }
    let mut len = 0;
    if value < 0 {
        *to = b'-';
        len = 1;
    }
    while count > 0 {
        count -= 1;
        *to.add(len) = *digits.add(count);
        len += 1;
    }
    len
}

static mut ERROR_TEXT: [u8; 48] = [0; 48];
static mut SIGNAL_TEXT: [u8; 48] = [0; 48];

/// The text of a known error, or null.
unsafe fn error_text(error: c_int) -> *const u8 {
    // 41 and 58 are holes in the numbering.
    if (error as u32) < ERRORS.len() as u32 && error != 41 && error != 58 {
        (*(&raw const ERRORS).cast::<&CStr>().add(error as usize))
            .as_ptr()
            .cast()
    } else {
        null()
    }
}

unsafe fn unknown(to: *mut u8, what: *const u8, number: c_int) {
    let end = stpcpy(to, what);
    let len = write_decimal(end, number as i64);
    *end.add(len) = 0;
}

#[inline(always)]
#[cfg_attr(not(test), unsafe(no_mangle))]
pub unsafe extern "C" fn strerror(error: c_int) -> *mut u8 {
    let text = error_text(error);
    if !text.is_null() {
        return text.cast_mut();
    }
    let to = (&raw mut ERROR_TEXT).cast::<u8>();
    unknown(to, c"Unknown error ".as_ptr().cast(), error);
    to
}

#[cfg_attr(not(test), unsafe(no_mangle))]
pub unsafe extern "C" fn strerror_l(error: c_int, _locale: *mut c_void) -> *mut u8 {
    strerror(error)
}

/// GNU's `strerror_r`, which may leave the buffer alone.
#[cfg_attr(not(test), unsafe(no_mangle))]
pub unsafe extern "C" fn strerror_r(error: c_int, buffer: *mut u8, size: usize) -> *mut u8 {
    let text = error_text(error);
    if !text.is_null() {
        return text.cast_mut();
    }
    strlcpy(buffer, strerror(error), size);
    buffer
}

#[cfg_attr(not(test), unsafe(no_mangle))]
pub unsafe extern "C" fn __xpg_strerror_r(error: c_int, buffer: *mut u8, size: usize) -> c_int {
    let known = !error_text(error).is_null();
    let fits = strlcpy(buffer, strerror(error), size) < size;
    if !known {
        crate::errno::EINVAL
    } else if !fits {
        crate::errno::ERANGE
    } else {
        0
    }
}

#[inline(always)]
#[cfg_attr(not(test), unsafe(no_mangle))]
pub unsafe extern "C" fn strsignal(signal: c_int) -> *mut u8 {
    if (1..32).contains(&signal) {
        return (*(&raw const SIGNALS).cast::<&CStr>().add(signal as usize))
            .as_ptr()
            .cast_mut()
            .cast();
    }
    let to = (&raw mut SIGNAL_TEXT).cast::<u8>();
    if (34..65).contains(&signal) {
        unknown(to, c"Real-time signal ".as_ptr().cast(), signal - 34);
    } else {
        unknown(to, c"Unknown signal ".as_ptr().cast(), signal);
    }
    to
}

static ERRORS: [&CStr; 134] = [
    c"Success",
    c"Operation not permitted",
    c"No such file or directory",
    c"No such process",
    c"Interrupted system call",
    c"Input/output error",
    c"No such device or address",
    c"Argument list too long",
    c"Exec format error",
    c"Bad file descriptor",
    c"No child processes",
    c"Resource temporarily unavailable",
    c"Cannot allocate memory",
    c"Permission denied",
    c"Bad address",
    c"Block device required",
    c"Device or resource busy",
    c"File exists",
    c"Invalid cross-device link",
    c"No such device",
    c"Not a directory",
    c"Is a directory",
    c"Invalid argument",
    c"Too many open files in system",
    c"Too many open files",
    c"Inappropriate ioctl for device",
    c"Text file busy",
    c"File too large",
    c"No space left on device",
    c"Illegal seek",
    c"Read-only file system",
    c"Too many links",
    c"Broken pipe",
    c"Numerical argument out of domain",
    c"Numerical result out of range",
    c"Resource deadlock avoided",
    c"File name too long",
    c"No locks available",
    c"Function not implemented",
    c"Directory not empty",
    c"Too many levels of symbolic links",
    c"Unknown error 41",
    c"No message of desired type",
    c"Identifier removed",
    c"Channel number out of range",
    c"Level 2 not synchronized",
    c"Level 3 halted",
    c"Level 3 reset",
    c"Link number out of range",
    c"Protocol driver not attached",
    c"No CSI structure available",
    c"Level 2 halted",
    c"Invalid exchange",
    c"Invalid request descriptor",
    c"Exchange full",
    c"No anode",
    c"Invalid request code",
    c"Invalid slot",
    c"Unknown error 58",
    c"Bad font file format",
    c"Device not a stream",
    c"No data available",
    c"Timer expired",
    c"Out of streams resources",
    c"Machine is not on the network",
    c"Package not installed",
    c"Object is remote",
    c"Link has been severed",
    c"Advertise error",
    c"Srmount error",
    c"Communication error on send",
    c"Protocol error",
    c"Multihop attempted",
    c"RFS specific error",
    c"Bad message",
    c"Value too large for defined data type",
    c"Name not unique on network",
    c"File descriptor in bad state",
    c"Remote address changed",
    c"Can not access a needed shared library",
    c"Accessing a corrupted shared library",
    c".lib section in a.out corrupted",
    c"Attempting to link in too many shared libraries",
    c"Cannot exec a shared library directly",
    c"Invalid or incomplete multibyte or wide character",
    c"Interrupted system call should be restarted",
    c"Streams pipe error",
    c"Too many users",
    c"Socket operation on non-socket",
    c"Destination address required",
    c"Message too long",
    c"Protocol wrong type for socket",
    c"Protocol not available",
    c"Protocol not supported",
    c"Socket type not supported",
    c"Operation not supported",
    c"Protocol family not supported",
    c"Address family not supported by protocol",
    c"Address already in use",
    c"Cannot assign requested address",
    c"Network is down",
    c"Network is unreachable",
    c"Network dropped connection on reset",
    c"Software caused connection abort",
    c"Connection reset by peer",
    c"No buffer space available",
    c"Transport endpoint is already connected",
    c"Transport endpoint is not connected",
    c"Cannot send after transport endpoint shutdown",
    c"Too many references: cannot splice",
    c"Connection timed out",
    c"Connection refused",
    c"Host is down",
    c"No route to host",
    c"Operation already in progress",
    c"Operation now in progress",
    c"Stale file handle",
    c"Structure needs cleaning",
    c"Not a XENIX named type file",
    c"No XENIX semaphores available",
    c"Is a named type file",
    c"Remote I/O error",
    c"Disk quota exceeded",
    c"No medium found",
    c"Wrong medium type",
    c"Operation canceled",
    c"Required key not available",
    c"Key has expired",
    c"Key has been revoked",
    c"Key was rejected by service",
    c"Owner died",
    c"State not recoverable",
    c"Operation not possible due to RF-kill",
    c"Memory page has hardware error",
];

static SIGNALS: [&CStr; 32] = [
    c"Unknown signal 0",
    c"Hangup",
    c"Interrupt",
    c"Quit",
    c"Illegal instruction",
    c"Trace/breakpoint trap",
    c"Aborted",
    c"Bus error",
    c"Floating point exception",
    c"Killed",
    c"User defined signal 1",
    c"Segmentation fault",
    c"User defined signal 2",
    c"Broken pipe",
    c"Alarm clock",
    c"Terminated",
    c"Stack fault",
    c"Child exited",
    c"Continued",
    c"Stopped (signal)",
    c"Stopped",
    c"Stopped (tty input)",
    c"Stopped (tty output)",
    c"Urgent I/O condition",
    c"CPU time limit exceeded",
    c"File size limit exceeded",
    c"Virtual timer expired",
    c"Profiling timer expired",
    c"Window changed",
    c"I/O possible",
    c"Power failure",
    c"Bad system call",
];
