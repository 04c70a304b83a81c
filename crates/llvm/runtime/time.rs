//! `time.h` in the C locale and in UTC, the only zone there is.

use crate::errno::{self, EOVERFLOW};
use crate::native::time;
use crate::string::{strlen, write_decimal};
use core::ffi::{CStr, c_char, c_int, c_long, c_void};
use core::ptr::null_mut;

#[repr(C)]
#[derive(Clone, Copy)]
pub struct tm {
    pub tm_sec: c_int,
    pub tm_min: c_int,
    pub tm_hour: c_int,
    pub tm_mday: c_int,
    pub tm_mon: c_int,
    pub tm_year: c_int,
    pub tm_wday: c_int,
    pub tm_yday: c_int,
    pub tm_isdst: c_int,
    pub tm_gmtoff: c_long,
    pub tm_zone: *const c_char,
}

#[repr(C)]
pub struct Zones([*const c_char; 2]);

#[cfg_attr(not(test), unsafe(no_mangle))]
pub static mut tzname: Zones = Zones([c"UTC".as_ptr(), c"UTC".as_ptr()]);
#[cfg_attr(not(test), unsafe(no_mangle))]
pub static mut timezone: c_long = 0;
#[cfg_attr(not(test), unsafe(no_mangle))]
pub static mut daylight: c_int = 0;
#[cfg_attr(not(test), unsafe(no_mangle))]
pub static mut __tzname: Zones = Zones([c"UTC".as_ptr(), c"UTC".as_ptr()]);
#[cfg_attr(not(test), unsafe(no_mangle))]
pub static mut __timezone: c_long = 0;
#[cfg_attr(not(test), unsafe(no_mangle))]
pub static mut __daylight: c_int = 0;

#[cfg_attr(not(test), unsafe(no_mangle))]
pub unsafe extern "C" fn tzset() {}

static mut BROKEN_DOWN: tm = tm {
    tm_sec: 0,
    tm_min: 0,
    tm_hour: 0,
    tm_mday: 0,
    tm_mon: 0,
    tm_year: 0,
    tm_wday: 0,
    tm_yday: 0,
    tm_isdst: 0,
    tm_gmtoff: 0,
    tm_zone: c"GMT".as_ptr(),
};
static mut TEXT: [u8; 64] = [0; 64];

const DAY: i64 = 86400;
/// Days of 400 years, after which the calendar repeats.
const CYCLE: i64 = 146097;

/// The days from 1970-01-01 to the first of March of `year`.
fn days_to_march(year: i64) -> i64 {
    // Years that begin in March end with their leap day.
    let cycle = year.div_euclid(400);
    let y = year.rem_euclid(400);
    cycle * CYCLE + y * 365 + y / 4 - y / 100 - 719468
}

/// The days before month `m`, counted from March, of a year that begins there.
fn days_before(m: i64) -> i64 {
    (m * 153 + 2) / 5
}

/// The days from 1970-01-01 to day 1 of a month counted from 0 for January.
pub fn days_to_month(year: i64, month: i64) -> i64 {
    let (year, m) = if month < 2 {
        (year - 1, month + 10)
    } else {
        (year, month - 2)
    };
    days_to_march(year) + days_before(m)
}

fn is_leap(year: i64) -> bool {
    year % 4 == 0 && (year % 100 != 0 || year % 400 == 0)
}

unsafe fn break_down(at: i64, to: *mut tm, zone: *const c_char) -> *mut tm {
    let days = at.div_euclid(DAY);
    let seconds = at.rem_euclid(DAY);
    // Days since the March that begins a cycle.
    let z = days + 719468;
    let cycle = z.div_euclid(CYCLE);
    let d = z.rem_euclid(CYCLE);
    let y = (d - d / 1460 + d / 36524 - d / 146096) / 365;
    let day = d - (y * 365 + y / 4 - y / 100);
    let m = (day * 5 + 2) / 153;
    let month = if m < 10 { m + 2 } else { m - 10 };
    let year = cycle * 400 + y + (month < 2) as i64;
    if year - 1900 != (year - 1900) as c_int as i64 {
        errno::set(EOVERFLOW);
        return null_mut();
    }
    (*to).tm_sec = (seconds % 60) as c_int;
    (*to).tm_min = (seconds / 60 % 60) as c_int;
    (*to).tm_hour = (seconds / 3600) as c_int;
    (*to).tm_mday = (day - days_before(m) + 1) as c_int;
    (*to).tm_mon = month as c_int;
    (*to).tm_year = (year - 1900) as c_int;
    (*to).tm_wday = (days + 4).rem_euclid(7) as c_int;
    (*to).tm_yday = (days - days_to_month(year, 0)) as c_int;
    (*to).tm_isdst = 0;
    (*to).tm_gmtoff = 0;
    (*to).tm_zone = zone;
    to
}

#[inline(always)]
#[cfg_attr(not(test), unsafe(no_mangle))]
pub unsafe extern "C" fn gmtime_r(at: *const i64, to: *mut tm) -> *mut tm {
    break_down(*at, to, c"GMT".as_ptr())
}

#[inline(always)]
#[cfg_attr(not(test), unsafe(no_mangle))]
pub unsafe extern "C" fn localtime_r(at: *const i64, to: *mut tm) -> *mut tm {
    break_down(*at, to, c"UTC".as_ptr())
}

#[cfg_attr(not(test), unsafe(no_mangle))]
pub unsafe extern "C" fn gmtime(at: *const i64) -> *mut tm {
    gmtime_r(at, &raw mut BROKEN_DOWN)
}

#[inline(always)]
#[cfg_attr(not(test), unsafe(no_mangle))]
pub unsafe extern "C" fn localtime(at: *const i64) -> *mut tm {
    localtime_r(at, &raw mut BROKEN_DOWN)
}

/// The seconds of a time whose fields may be out of range.
unsafe fn seconds(from: *const tm) -> i64 {
    let month = (*from).tm_mon as i64;
    let year = (*from).tm_year as i64 + 1900 + month.div_euclid(12);
    let days = days_to_month(year, month.rem_euclid(12)) + (*from).tm_mday as i64 - 1;
    days * DAY + (*from).tm_hour as i64 * 3600 + (*from).tm_min as i64 * 60 + (*from).tm_sec as i64
}

unsafe fn normalise(broken: *mut tm, zone: *const c_char) -> i64 {
    let at = seconds(broken);
    let mut fresh = *broken;
    if break_down(at, &raw mut fresh, zone).is_null() {
        return -1;
    }
    *broken = fresh;
    at
}

#[cfg_attr(not(test), unsafe(no_mangle))]
pub unsafe extern "C" fn timegm(broken: *mut tm) -> i64 {
    normalise(broken, c"GMT".as_ptr())
}

#[inline(always)]
#[cfg_attr(not(test), unsafe(no_mangle))]
pub unsafe extern "C" fn mktime(broken: *mut tm) -> i64 {
    normalise(broken, c"UTC".as_ptr())
}

#[cfg_attr(not(test), unsafe(no_mangle))]
pub unsafe extern "C" fn timelocal(broken: *mut tm) -> i64 {
    mktime(broken)
}

#[cfg_attr(not(test), unsafe(no_mangle))]
pub unsafe extern "C" fn difftime(end: i64, start: i64) -> f64 {
    end.wrapping_sub(start) as f64
}

static DAYS: [&CStr; 7] = [
    c"Sunday",
    c"Monday",
    c"Tuesday",
    c"Wednesday",
    c"Thursday",
    c"Friday",
    c"Saturday",
];
static MONTHS: [&CStr; 12] = [
    c"January",
    c"February",
    c"March",
    c"April",
    c"May",
    c"June",
    c"July",
    c"August",
    c"September",
    c"October",
    c"November",
    c"December",
];

pub unsafe fn day_name(day: c_int) -> *const u8 {
    if (day as u32) < 7 {
        (*(&raw const DAYS).cast::<&CStr>().add(day as usize))
            .as_ptr()
            .cast()
    } else {
        c"?".as_ptr().cast()
    }
}

pub unsafe fn month_name(month: c_int) -> *const u8 {
    if (month as u32) < 12 {
        (*(&raw const MONTHS).cast::<&CStr>().add(month as usize))
            .as_ptr()
            .cast()
    } else {
        c"?".as_ptr().cast()
    }
}

/// A text being written, which stops at the end of its room.
struct Writer {
    to: *mut u8,
    room: usize,
    len: usize,
    full: bool,
}

impl Writer {
    unsafe fn byte(&mut self, c: u8) {
        if self.len < self.room {
            *self.to.add(self.len) = c;
            self.len += 1;
        } else {
            self.full = true;
        }
    }
}

/// How a conversion is to be padded and in which case.
#[derive(Clone, Copy)]
struct Style {
    /// The byte to pad with: 0 for the conversion's own, `-` for none but up to
    /// a width.
    pad: u8,
    width: usize,
    upper: bool,
    /// `#`: the other case than usual.
    swap: bool,
    lower: bool,
}

const PLAIN: Style = Style {
    pad: 0,
    width: 0,
    upper: false,
    swap: false,
    lower: false,
};

unsafe fn put_text(w: &mut Writer, text: *const u8, len: usize, style: Style) {
    let mut i = len;
    // A text is padded with spaces unless zeros are asked for.
    while i < style.width {
        w.byte(if style.pad == b'0' { b'0' } else { b' ' });
        i += 1;
    }
    i = 0;
    while i < len {
        let c = *text.add(i) as c_int;
        let c = if style.lower {
            crate::ctype::tolower(c)
        } else if style.upper {
            crate::ctype::toupper(c)
        } else {
            c
        };
        w.byte(c as u8);
        i += 1;
    }
}

unsafe fn put_number(w: &mut Writer, value: i64, digits: usize, pad: u8, style: Style) {
    let mut text = [0u8; 24];
    let text = (&raw mut text).cast::<u8>();
    let negative = value < 0;
    let len = write_decimal(text, value) - negative as usize;
    let pad = if style.pad == 0 { pad } else { style.pad };
    let width = if pad == b'-' || style.width > digits {
        style.width
    } else {
        digits
    };
    let mut fill = width.saturating_sub(len + negative as usize);
    // Without padding of its own a number is padded like a text.
    if pad == b'_' || pad == b'-' {
        while fill > 0 {
            w.byte(b' ');
            fill -= 1;
        }
    }
    if negative {
        w.byte(b'-');
    }
    while fill > 0 {
        w.byte(b'0');
        fill -= 1;
    }
    let mut i = negative as usize;
    while i < len + negative as usize {
        w.byte(*text.add(i));
        i += 1;
    }
}

/// The year and number of the ISO 8601 week.
unsafe fn iso_week(t: *const tm) -> (i64, i64) {
    let mut year = (*t).tm_year as i64 + 1900;
    let yday = (*t).tm_yday as i64;
    // The week of a day is the week of its Thursday.
    let weekday = ((*t).tm_wday as i64 + 6).rem_euclid(7);
    let mut thursday = yday - weekday + 3;
    if thursday < 0 {
        year -= 1;
        thursday += 365 + is_leap(year) as i64;
    } else {
        let len = 365 + is_leap(year) as i64;
        if thursday >= len {
            thursday -= len;
            year += 1;
        }
    }
    (year, thursday / 7 + 1)
}

unsafe fn nested(w: &mut Writer, format: &CStr, t: *const tm, style: Style) {
    // Padded as a whole: written once to learn its length.
    let mut text = [0u8; 128];
    let text = (&raw mut text).cast::<u8>();
    let mut inner = Writer {
        to: text,
        room: 128,
        len: 0,
        full: false,
    };
    convert(&mut inner, format.as_ptr().cast(), t, style.upper);
    put_text(
        w,
        text,
        inner.len,
        Style {
            upper: false,
            ..style
        },
    );
}

unsafe fn convert(w: &mut Writer, format: *const u8, t: *const tm, upper: bool) {
    let year = (*t).tm_year as i64 + 1900;
    let mut f = format;
    loop {
        let c = *f;
        if c == 0 || w.full {
            return;
        }
        if c != b'%' {
            w.byte(c);
            f = f.add(1);
            continue;
        }
        let start = f;
        f = f.add(1);
        let mut style = Style { upper, ..PLAIN };
        loop {
            match *f {
                b'_' | b'-' | b'0' => style.pad = *f,
                b'^' => style.upper = true,
                b'#' => style.swap = true,
                _ => break,
            }
            f = f.add(1);
        }
        while crate::string::is_digit(*f) {
            // A width past any buffer is as good as the buffer's own.
            if style.width < 1 << 32 {
                style.width = style.width * 10 + (*f - b'0') as usize;
            }
            f = f.add(1);
        }
        if *f == b'E' || *f == b'O' {
            f = f.add(1);
        }
        let conversion = *f;
        if conversion == 0 {
            // A format that ends in the middle of one is shown as it is.
            f = f.sub(1);
        }
        f = f.add(1);
        let hour12 = {
            let h = (*t).tm_hour;
            if h > 12 {
                h - 12
            } else if h == 0 {
                12
            } else {
                h
            }
        } as i64;
        match conversion {
            b'%' => put_text(w, b"%".as_ptr(), 1, style),
            b'n' => put_text(w, b"\n".as_ptr(), 1, style),
            b't' => put_text(w, b"\t".as_ptr(), 1, style),
            b'a' | b'A' | b'b' | b'B' | b'h' => {
                style.upper |= style.swap;
                let day = conversion == b'a' || conversion == b'A';
                let name = if day {
                    day_name((*t).tm_wday)
                } else {
                    month_name((*t).tm_mon)
                };
                let len = strlen(name);
                let short = conversion != b'A' && conversion != b'B' && len > 3;
                put_text(w, name, if short { 3 } else { len }, style);
            }
            b'p' | b'P' => {
                style.lower = conversion == b'P' || style.swap;
                let name = if (*t).tm_hour > 11 { b"PM" } else { b"AM" };
                put_text(w, name.as_ptr(), 2, style);
            }
            b'C' => put_number(w, year.div_euclid(100), 1, b'0', style),
            b'd' => put_number(w, (*t).tm_mday as i64, 2, b'0', style),
            b'e' => put_number(w, (*t).tm_mday as i64, 2, b'_', style),
            b'g' => put_number(w, iso_week(t).0.rem_euclid(100), 2, b'0', style),
            b'G' => put_number(w, iso_week(t).0, 1, b'0', style),
            b'H' => put_number(w, (*t).tm_hour as i64, 2, b'0', style),
            b'I' => put_number(w, hour12, 2, b'0', style),
            b'j' => put_number(w, (*t).tm_yday as i64 + 1, 3, b'0', style),
            b'k' => put_number(w, (*t).tm_hour as i64, 2, b'_', style),
            b'l' => put_number(w, hour12, 2, b'_', style),
            b'm' => put_number(w, (*t).tm_mon as i64 + 1, 2, b'0', style),
            b'M' => put_number(w, (*t).tm_min as i64, 2, b'0', style),
            b's' => {
                // Padded like a text, sign and all.
                let mut text = [0u8; 24];
                let text = (&raw mut text).cast::<u8>();
                let len = write_decimal(text, seconds(t));
                put_text(w, text, len, style);
            }
            b'S' => put_number(w, (*t).tm_sec as i64, 2, b'0', style),
            b'u' => put_number(
                w,
                ((*t).tm_wday as i64 + 6).rem_euclid(7) + 1,
                1,
                b'0',
                style,
            ),
            b'U' => {
                let week = ((*t).tm_yday as i64 - (*t).tm_wday as i64 + 7) / 7;
                put_number(w, week, 2, b'0', style);
            }
            b'V' => put_number(w, iso_week(t).1, 2, b'0', style),
            b'w' => put_number(w, (*t).tm_wday as i64, 1, b'0', style),
            b'W' => {
                let weekday = ((*t).tm_wday as i64 + 6).rem_euclid(7);
                put_number(w, ((*t).tm_yday as i64 - weekday + 7) / 7, 2, b'0', style);
            }
            b'y' => put_number(w, year.rem_euclid(100), 2, b'0', style),
            b'Y' => put_number(w, year, 1, b'0', style),
            b'z' => {
                let minutes = (*t).tm_gmtoff / 60;
                let hhmm = minutes.unsigned_abs() as i64;
                let value = hhmm / 60 * 100 + hhmm % 60;
                let sign = if minutes < 0 { b"-" } else { b"+" };
                put_text(w, sign.as_ptr(), 1, style);
                put_number(w, value, 4, b'0', style);
            }
            b'Z' => {
                style.lower = style.swap;
                let zone = (*t).tm_zone.cast::<u8>();
                if !zone.is_null() {
                    put_text(w, zone, strlen(zone), style);
                }
            }
            b'c' => nested(w, c"%a %b %e %H:%M:%S %Y", t, style),
            b'D' | b'x' => nested(w, c"%m/%d/%y", t, style),
            b'F' => nested(w, c"%Y-%m-%d", t, style),
            b'r' => nested(w, c"%I:%M:%S %p", t, style),
            b'R' => nested(w, c"%H:%M", t, style),
            b'T' | b'X' => nested(w, c"%H:%M:%S", t, style),
            _ => {
                let style = Style {
                    upper: false,
                    ..style
                };
                put_text(w, start, f as usize - start as usize, style);
            }
        }
    }
}

#[inline(always)]
#[cfg_attr(not(test), unsafe(no_mangle))]
pub unsafe extern "C" fn strftime(
    to: *mut u8,
    room: usize,
    format: *const u8,
    t: *const tm,
) -> usize {
    let mut w = Writer {
        to,
        room,
        len: 0,
        full: false,
    };
    convert(&mut w, format, t, false);
    if w.full || w.len >= room {
        return 0;
    }
    *to.add(w.len) = 0;
    w.len
}

#[cfg_attr(not(test), unsafe(no_mangle))]
pub unsafe extern "C" fn strftime_l(
    to: *mut u8,
    room: usize,
    format: *const u8,
    t: *const tm,
    _locale: *mut c_void,
) -> usize {
    strftime(to, room, format, t)
}

unsafe fn calendar_text(t: *const tm, to: *mut u8, room: usize) -> *mut u8 {
    let mut w = Writer {
        to,
        room,
        len: 0,
        full: false,
    };
    let day = day_name((*t).tm_wday);
    let month = month_name((*t).tm_mon);
    let unknown: *const u8 = c"???".as_ptr().cast();
    let known_day = (*t).tm_wday as u32 <= 6;
    let known_month = (*t).tm_mon as u32 <= 11;
    put_text(&mut w, if known_day { day } else { unknown }, 3, PLAIN);
    w.byte(b' ');
    put_text(&mut w, if known_month { month } else { unknown }, 3, PLAIN);
    put_number(&mut w, (*t).tm_mday as i64, 3, b'_', PLAIN);
    w.byte(b' ');
    put_number(&mut w, (*t).tm_hour as i64, 2, b'0', PLAIN);
    w.byte(b':');
    put_number(&mut w, (*t).tm_min as i64, 2, b'0', PLAIN);
    w.byte(b':');
    put_number(&mut w, (*t).tm_sec as i64, 2, b'0', PLAIN);
    w.byte(b' ');
    put_number(&mut w, (*t).tm_year as i64 + 1900, 1, b'0', PLAIN);
    w.byte(b'\n');
    w.byte(0);
    if w.full {
        errno::set(EOVERFLOW);
        return null_mut();
    }
    to
}

#[inline(always)]
#[cfg_attr(not(test), unsafe(no_mangle))]
pub unsafe extern "C" fn asctime_r(t: *const tm, to: *mut u8) -> *mut u8 {
    calendar_text(t, to, 26)
}

#[inline(always)]
#[cfg_attr(not(test), unsafe(no_mangle))]
pub unsafe extern "C" fn asctime(t: *const tm) -> *mut u8 {
    calendar_text(t, (&raw mut TEXT).cast(), 64)
}

#[cfg_attr(not(test), unsafe(no_mangle))]
pub unsafe extern "C" fn ctime(at: *const i64) -> *mut u8 {
    let t = localtime(at);
    if t.is_null() { null_mut() } else { asctime(t) }
}

#[cfg_attr(not(test), unsafe(no_mangle))]
pub unsafe extern "C" fn ctime_r(at: *const i64, to: *mut u8) -> *mut u8 {
    let mut broken = BROKEN_DOWN;
    let t = localtime_r(at, &raw mut broken);
    if t.is_null() {
        null_mut()
    } else {
        asctime_r(t, to)
    }
}

/// The current time as C11 asks for it.
#[cfg_attr(not(test), unsafe(no_mangle))]
pub unsafe extern "C" fn timespec_get(to: *mut [i64; 2], base: c_int) -> c_int {
    if base != 1 {
        return 0;
    }
    (*to)[0] = time(null_mut());
    (*to)[1] = 0;
    base
}
