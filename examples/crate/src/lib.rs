//! What a shop calculates. Three mistakes are in here; one of them no random test finds.

use smallvec::SmallVec;

/// The price in between.
pub fn middle(low: u32, high: u32) -> u32 {
    (low + high) / 2
}

/// A voucher is five characters: `V`, a letter for what it is, two digits for how much, and the last digit of their
/// sum.
pub fn discount(code: [u8; 5]) -> Option<u8> {
    let [b'V', kind, tens, ones, check] = code else {
        return None;
    };
    let digit = |character: u8| character.checked_sub(b'0').filter(|&digit| digit < 10);
    let (tens, ones, check) = (digit(tens)?, digit(ones)?, digit(check)?);
    if (tens + ones) % 10 != check {
        return None;
    }
    let percent = 10 * tens + ones;
    match kind {
        b'P' => Some(percent),
        // A share of what is left after ten percent.
        b'S' => Some(100 / (percent - 10)),
        _ => None,
    }
}

/// Whether a year has a 29th of February, when vouchers are not valid.
pub fn is_leap(year: u16) -> bool {
    year.is_multiple_of(4) && !year.is_multiple_of(100)
}

/// The digits of a number for the display, which has room for four.
pub fn digits(mut number: u16) -> SmallVec<[u8; 4]> {
    let mut digits = SmallVec::new();
    while number > 0 {
        digits.push((number % 10) as u8);
        number /= 10;
    }
    digits.reverse();
    digits
}

/// What happens to the stock of an article.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(test, derive(refrain::Symbolic))]
pub enum Event {
    Bought { pieces: u8 },
    Sold(u8),
    Counted(u16),
}

/// The stock after an event; nothing that is not there is sold.
pub fn stock_after(stock: u16, event: Event) -> u16 {
    match event {
        Event::Bought { pieces } => stock.saturating_add(u16::from(pieces)),
        Event::Sold(pieces) => stock.saturating_sub(u16::from(pieces)),
        Event::Counted(pieces) => pieces,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[refrain::test]
    fn the_middle_is_between(low: u32, high: u32) {
        refrain::assume(low <= high);
        let middle = middle(low, high);
        assert!(low <= middle && middle <= high);
    }

    #[refrain::test]
    fn every_voucher_can_be_read(code: [u8; 5]) {
        if let Some(percent) = discount(code) {
            assert!(percent <= 100);
        }
    }

    #[refrain::test]
    fn leap_years_are_those_of_the_calendar(year: u16) {
        // A year has as many days as lie between its first day and that of the next one.
        let days =
            |year: u32| 365 * year + year.div_ceil(4) - year.div_ceil(100) + year.div_ceil(400);
        let year = u32::from(year);
        refrain::assume(year < 3000);
        let long = days(year + 1) - days(year) == 366;
        assert_eq!(is_leap(year as u16), long);
    }

    #[refrain::test]
    fn digits_make_the_number(number: u16) {
        let digits = digits(number);
        assert!(digits.first() != Some(&0));
        let again = digits
            .iter()
            .fold(0, |sum, &digit| 10 * sum + u16::from(digit));
        assert_eq!(again, number);
    }

    #[refrain::test]
    fn stock_grows_only_by_buying(stock: u16, event: Event) -> Result<(), String> {
        let after = stock_after(stock, event);
        match event {
            Event::Sold(_) if after > stock => Err(format!("{stock} became {after}")),
            _ => Ok(()),
        }
    }

    #[refrain::test]
    #[should_panic(expected = "range end index")]
    fn a_code_is_not_longer_than_a_code(#[refrain(max_len = 4)] code: Vec<u8>) {
        let _ = &code[..5];
    }
}
