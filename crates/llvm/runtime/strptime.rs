//! `strptime`: times as text, read in the C locale.

use crate::ctype;
use crate::string::strncasecmp;
use crate::time::{self, tm};
use core::ffi::{c_int, c_long, c_void};
use core::ptr::null_mut;

/// What was read so far that is put together at the end.
struct Known {
    is_afternoon: bool,
    has_half_hour: bool,
    century: c_int,
    wants_century: bool,
    wants_days: bool,
    has_weekday: bool,
    has_yearday: bool,
    has_month: bool,
    has_day: bool,
    /// The number of a week, and whether weeks start on Monday.
    week: c_int,
    by_monday: bool,
}

/// Reads a number of so many digits between two bounds.
unsafe fn number(at: &mut *const u8, low: c_int, high: c_int, digits: c_int) -> Option<c_int> {
    while ctype::space(**at as c_int) {
        *at = (*at).add(1);
    }
    if !ctype::digit(**at as c_int) {
        return None;
    }
    let (mut value, mut left) = (0, digits);
    loop {
        value = value * 10 + (**at - b'0') as c_int;
        *at = (*at).add(1);
        left -= 1;
        if left <= 0 || value * 10 > high || !ctype::digit(**at as c_int) {
            break;
        }
    }
    (low <= value && value <= high).then_some(value)
}

/// One of several names, whole or by its first three letters.
unsafe fn name(
    at: &mut *const u8,
    count: c_int,
    whole: unsafe fn(c_int) -> *const u8,
) -> Option<c_int> {
    let mut index = 0;
    while index < count {
        let text = whole(index);
        let len = crate::string::strlen(text);
        if strncasecmp(*at, text, len) == 0 {
            *at = (*at).add(len);
            return Some(index);
        }
        if strncasecmp(*at, text, 3) == 0 {
            *at = (*at).add(3);
            return Some(index);
        }
        index += 1;
    }
    None
}

/// The days from 1970-01-01 to a day of a year counted from 1900.
unsafe fn days(year: c_int, month: c_int, day: c_int) -> i64 {
    time::days_to_month(year as i64 + 1900, month as i64) + day as i64 - 1
}

unsafe fn weekday(days: i64) -> c_int {
    (days + 4).rem_euclid(7) as c_int
}

#[inline(always)]
#[cfg_attr(not(test), unsafe(no_mangle))]
pub unsafe extern "C" fn strptime(text: *const u8, format: *const u8, to: *mut tm) -> *mut u8 {
    let mut known = Known {
        is_afternoon: false,
        has_half_hour: false,
        century: -1,
        wants_century: false,
        wants_days: false,
        has_weekday: false,
        has_yearday: false,
        has_month: false,
        has_day: false,
        week: -1,
        by_monday: false,
    };
    let mut at = text;
    if !read(&mut at, format, to, &mut known) {
        return null_mut();
    }
    put_together(to, &known);
    at.cast_mut()
}

#[cfg_attr(not(test), unsafe(no_mangle))]
pub unsafe extern "C" fn strptime_l(
    text: *const u8,
    format: *const u8,
    to: *mut tm,
    _locale: *mut c_void,
) -> *mut u8 {
    strptime(text, format, to)
}

#[inline(never)]
unsafe fn read(at: &mut *const u8, format: *const u8, to: *mut tm, known: &mut Known) -> bool {
    let mut format = format;
    while *format != 0 {
        if ctype::space(*format as c_int) {
            while ctype::space(**at as c_int) {
                *at = (*at).add(1);
            }
            format = format.add(1);
            continue;
        }
        if *format != b'%' {
            if *format != **at {
                return false;
            }
            format = format.add(1);
            *at = (*at).add(1);
            continue;
        }
        format = format.add(1);
        // Modifiers of other locales.
        if *format == b'E' || *format == b'O' {
            format = format.add(1);
        }
        if !conversion(at, *format, to, known) {
            return false;
        }
        format = format.add(1);
    }
    true
}

#[inline(never)]
unsafe fn conversion(at: &mut *const u8, letter: u8, to: *mut tm, known: &mut Known) -> bool {
    let mut parts = |format: &core::ffi::CStr| read(at, format.as_ptr().cast(), to, known);
    match letter {
        b'c' => return parts(c"%a %b %e %H:%M:%S %Y"),
        b'D' | b'x' => return parts(c"%m/%d/%y"),
        b'F' => return parts(c"%Y-%m-%d"),
        b'R' => return parts(c"%H:%M"),
        b'r' => return parts(c"%I:%M:%S %p"),
        b'T' | b'X' => return parts(c"%H:%M:%S"),
        _ => {}
    }
    // Where a number goes, between which bounds, and what is taken from it.
    let (field, low, high, digits, less) = match letter {
        b'd' | b'e' => (&raw mut (*to).tm_mday, 1, 31, 2, 0),
        b'H' | b'k' => (&raw mut (*to).tm_hour, 0, 23, 2, 0),
        b'I' | b'l' => (&raw mut (*to).tm_hour, 1, 12, 2, 0),
        b'j' => (&raw mut (*to).tm_yday, 1, 366, 3, 1),
        b'm' => (&raw mut (*to).tm_mon, 1, 12, 2, 1),
        b'M' => (&raw mut (*to).tm_min, 0, 59, 2, 0),
        b'S' => (&raw mut (*to).tm_sec, 0, 61, 2, 0),
        b'u' => (&raw mut (*to).tm_wday, 1, 7, 1, 0),
        b'w' => (&raw mut (*to).tm_wday, 0, 6, 1, 0),
        b'y' => (&raw mut (*to).tm_year, 0, 99, 2, 0),
        b'Y' => (&raw mut (*to).tm_year, 0, 9999, 4, 1900),
        b'C' => (&raw mut known.century, 0, 99, 2, 0),
        b'U' | b'W' => (&raw mut known.week, 0, 53, 2, 0),
        _ => return other(at, letter, to, known),
    };
    let Some(value) = number(at, low, high, digits) else {
        return false;
    };
    *field = value - less;
    match letter {
        b'd' | b'e' => {
            known.has_day = true;
            known.wants_days = true;
        }
        b'H' | b'k' => known.has_half_hour = false,
        b'I' | b'l' => {
            (*to).tm_hour = value % 12;
            known.has_half_hour = true;
        }
        b'j' => known.has_yearday = true,
        b'm' => {
            known.has_month = true;
            known.wants_days = true;
        }
        b'u' => {
            (*to).tm_wday = value % 7;
            known.has_weekday = true;
        }
        b'w' => known.has_weekday = true,
        b'y' => {
            (*to).tm_year = if value >= 69 { value } else { value + 100 };
            known.wants_century = true;
            known.wants_days = true;
        }
        b'Y' => {
            known.wants_century = false;
            known.wants_days = true;
        }
        b'C' => known.wants_days = true,
        b'U' => known.by_monday = false,
        b'W' => known.by_monday = true,
        _ => {}
    }
    true
}

/// What is no plain number.
unsafe fn other(at: &mut *const u8, letter: u8, to: *mut tm, known: &mut Known) -> bool {
    match letter {
        b'%' => {
            let same = **at == b'%';
            *at = (*at).add(same as usize);
            same
        }
        b'a' | b'A' => match name(at, 7, time::day_name) {
            Some(day) => {
                (*to).tm_wday = day;
                known.has_weekday = true;
                true
            }
            None => false,
        },
        b'b' | b'B' | b'h' => match name(at, 12, time::month_name) {
            Some(month) => {
                (*to).tm_mon = month;
                known.has_month = true;
                known.wants_days = true;
                true
            }
            None => false,
        },
        b'n' | b't' => {
            while ctype::space(**at as c_int) {
                *at = (*at).add(1);
            }
            true
        }
        b'p' => {
            let is_afternoon = strncasecmp(*at, c"PM".as_ptr().cast(), 2) == 0;
            if !is_afternoon && strncasecmp(*at, c"AM".as_ptr().cast(), 2) != 0 {
                return false;
            }
            *at = (*at).add(2);
            known.is_afternoon = is_afternoon;
            true
        }
        b's' => seconds(at, to),
        b'V' => number(at, 0, 53, 2).is_some(),
        b'g' => number(at, 0, 99, 2).is_some(),
        b'G' => {
            if !ctype::digit(**at as c_int) {
                return false;
            }
            while ctype::digit(**at as c_int) {
                *at = (*at).add(1);
            }
            true
        }
        b'Z' => {
            while ctype::space(**at as c_int) {
                *at = (*at).add(1);
            }
            while !ctype::space(**at as c_int) && **at != 0 {
                *at = (*at).add(1);
            }
            true
        }
        b'z' => zone(at, to),
        _ => false,
    }
}

/// Seconds since 1970.
unsafe fn seconds(at: &mut *const u8, to: *mut tm) -> bool {
    if !ctype::digit(**at as c_int) {
        return false;
    }
    let mut value = 0i64;
    while ctype::digit(**at as c_int) {
        value = value.wrapping_mul(10).wrapping_add((**at - b'0') as i64);
        *at = (*at).add(1);
    }
    !time::localtime_r(&raw const value, to).is_null()
}

/// The distance to UTC: `Z`, or a sign and two or four digits.
unsafe fn zone(at: &mut *const u8, to: *mut tm) -> bool {
    while ctype::space(**at as c_int) {
        *at = (*at).add(1);
    }
    if **at == b'Z' {
        *at = (*at).add(1);
        (*to).tm_gmtoff = 0;
        return true;
    }
    if **at != b'+' && **at != b'-' {
        return false;
    }
    let is_negative = **at == b'-';
    *at = (*at).add(1);
    let (mut value, mut digits) = (0, 0);
    while digits < 4 && ctype::digit(**at as c_int) {
        value = value * 10 + (**at - b'0') as c_long;
        *at = (*at).add(1);
        digits += 1;
        if **at == b':' && digits == 2 && ctype::digit(*(*at).add(1) as c_int) {
            *at = (*at).add(1);
        }
    }
    if digits == 2 {
        value *= 100;
    } else if digits != 4 {
        return false;
    }
    if value % 100 >= 60 {
        return false;
    }
    let offset = value / 100 * 3600 + value % 100 * 60;
    (*to).tm_gmtoff = if is_negative { -offset } else { offset };
    true
}

unsafe fn put_together(to: *mut tm, known: &Known) {
    if known.has_half_hour && known.is_afternoon {
        (*to).tm_hour += 12;
    }
    if known.century != -1 {
        let year = if known.wants_century {
            (*to).tm_year % 100
        } else {
            0
        };
        (*to).tm_year = year + (known.century - 19) * 100;
    }
    let first = days((*to).tm_year, 0, 1);
    if known.wants_days && !known.has_weekday {
        if !(known.has_month && known.has_day) && known.has_yearday {
            let mut month = 0;
            while month < 11 && days((*to).tm_year, month + 1, 1) - first <= (*to).tm_yday as i64 {
                month += 1;
            }
            if !known.has_month {
                (*to).tm_mon = month;
            }
            if !known.has_day {
                let start = days((*to).tm_year, month, 1) - first;
                (*to).tm_mday = (*to).tm_yday - start as c_int + 1;
            }
        }
        let month = if (0..12).contains(&(*to).tm_mon) {
            (*to).tm_mon
        } else {
            0
        };
        (*to).tm_wday = weekday(days((*to).tm_year, month, (*to).tm_mday));
    }
    if known.wants_days && !known.has_yearday {
        let month = if (0..12).contains(&(*to).tm_mon) {
            (*to).tm_mon
        } else {
            0
        };
        (*to).tm_yday = (days((*to).tm_year, month, (*to).tm_mday) - first) as c_int;
    }
    if known.week >= 0 && known.has_weekday {
        let week_day = (*to).tm_wday;
        let start = weekday(first);
        let offset = known.by_monday as c_int;
        if !known.has_yearday {
            let day = (7 - (start - offset)).rem_euclid(7)
                + (known.week - 1) * 7
                + (week_day - offset + 7).rem_euclid(7);
            (*to).tm_yday = day;
        }
        if !known.has_day || !known.has_month {
            let mut month = 0;
            while month < 11 && days((*to).tm_year, month + 1, 1) - first <= (*to).tm_yday as i64 {
                month += 1;
            }
            if !known.has_month {
                (*to).tm_mon = month;
            }
            if !known.has_day {
                let start = days((*to).tm_year, month, 1) - first;
                (*to).tm_mday = (*to).tm_yday - start as c_int + 1;
            }
        }
    }
}
