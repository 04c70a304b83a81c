//! Properties beside the program, one of which takes too long.

#[refrain::test]
fn prices_are_prices(pieces: u8) {
    assert!(price::price(pieces) <= pieces);
}

/// There are far more ways than anybody can go.
#[refrain::test]
fn steps_come_to_an_end(start: u64) {
    let mut rest = start;
    let mut steps = 0u32;
    while rest != 0 {
        if rest % 2 == 1 {
            std::hint::black_box(steps);
        }
        rest /= 2;
        steps += 1;
    }
    assert!(steps <= u64::BITS);
}
