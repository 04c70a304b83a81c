//! A program.

fn sum(pieces: [u8; 2]) -> u16 {
    pieces
        .map(|pieces| u16::from(price::price(pieces)))
        .iter()
        .sum()
}

fn main() {
    println!("{}", sum([1, 2]));
}

#[cfg(test)]
#[refrain::test]
fn sums_are_small(pieces: [u8; 2]) {
    assert!(sum(pieces) <= 200);
}
