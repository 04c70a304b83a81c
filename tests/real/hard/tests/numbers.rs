//! Numbers as text, and days as dates.

use refrain::assume;

/// A `u32` to decimal and back.
#[refrain::test]
fn digits_read_back(number: u32) {
    let mut buffer = itoa::Buffer::new();
    let digits = buffer.format(number).as_bytes();
    let back = digits.iter().fold(0u32, |all, digit| {
        all.wrapping_mul(10).wrapping_add(u32::from(digit - b'0'))
    });
    assert!(back == number);
}

#[refrain::test]
fn digits_of_small_numbers_read_back(number: u16) {
    let mut buffer = itoa::Buffer::new();
    let digits = buffer.format(number).as_bytes();
    let back = digits.iter().fold(0u16, |all, digit| {
        all.wrapping_mul(10).wrapping_add(u16::from(digit - b'0'))
    });
    assert!(back == number);
}

/// Days since the first of March of the year 0, by the calendar with leap years (Howard Hinnant's algorithms).
fn days_of(year: i32, month: u32, day: u32) -> i32 {
    let year = if month <= 2 { year - 1 } else { year };
    let era = year.div_euclid(400);
    let of_era = year.rem_euclid(400) as u32;
    let of_year = (153 * (if month > 2 { month - 3 } else { month + 9 }) + 2) / 5 + day - 1;
    let days = of_era * 365 + of_era / 4 - of_era / 100 + of_year;
    era * 146_097 + days as i32
}

fn date_of(days: i32) -> (i32, u32, u32) {
    let era = days.div_euclid(146_097);
    let of_era = days.rem_euclid(146_097) as u32;
    let year = (of_era - of_era / 1460 + of_era / 36_524 - of_era / 146_096) / 365;
    let of_year = of_era - (365 * year + year / 4 - year / 100);
    let month = (5 * of_year + 2) / 153;
    let day = of_year - (153 * month + 2) / 5 + 1;
    let month = if month < 10 { month + 3 } else { month - 9 };
    let year = year as i32 + era * 400;
    (if month <= 2 { year + 1 } else { year }, month, day)
}

#[refrain::test]
fn days_are_dates(days: i32) {
    assume((0..146_097).contains(&days));
    let (year, month, day) = date_of(days);
    assert!((1..=12).contains(&month) && (1..=31).contains(&day));
    assert!(days_of(year, month, day) == days);
}
