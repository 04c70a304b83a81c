//! Properties beside the program, one of which takes too long.

#[refrain::test]
fn prices_are_prices(pieces: u8) {
    assert!(price::price(pieces) <= pieces);
}

/// There are far more ways than anybody can go.
#[refrain::test]
fn steps_come_to_an_end(start: u64) {
    let mut number = start;
    let mut steps = 0u64;
    while number > 1 {
        number = if number.is_multiple_of(2) {
            number / 2
        } else {
            number.wrapping_mul(3) ^ 1
        };
        steps += 1;
    }
    assert!(steps < u64::MAX);
}
