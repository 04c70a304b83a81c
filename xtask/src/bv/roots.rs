//! Square roots: numbers by their squares, and what a root is.

use super::{Problem, Rng, Text, constant, mask, names, zero};

pub fn problem(number: u64, rng: &mut Rng) -> Problem {
    let size = number as u32 / 4;
    let symbols = names("x", 2);
    let [x, y] = [&symbols[0], &symbols[1]];
    match number % 4 {
        0 => {
            // A square of twice the width.
            let width = 8 + 4 * size;
            let mut text = Text::declaring(&symbols, width);
            let root = rng.next() & mask(width);
            let a = zero(width, x);
            let square = constant(root * root, 2 * width);
            text.assert(&format!("(= (bvmul {a} {a}) {square})"));
            text.problem(true)
        }
        1 => {
            // A square that has wrapped around.
            let width = 16 + 8 * size;
            let mut text = Text::declaring(&symbols, width);
            let root = rng.next() & mask(width) | 1;
            let square = constant(root.wrapping_mul(root) & mask(width), width);
            text.assert(&format!("(= (bvmul {x} {x}) {square})"));
            text.assert(&format!("(bvult {y} {x})"));
            text.problem(true)
        }
        2 => {
            // An odd number that is no square: those are 1 modulo 8.
            let width = 16 + 8 * size;
            let mut text = Text::declaring(&symbols, width);
            let odd = rng.next() & mask(width) & !7 | *rng.pick(&[3, 5, 7]);
            text.assert(&format!("(= (bvmul {x} {x}) {})", constant(odd, width)));
            text.problem(false)
        }
        _ => {
            // A number has one root, rounded down.
            let (width, by) = (3 + size, 5 + size);
            let symbols = names("x", 3);
            let mut text = Text::declaring(&symbols[..2], width);
            text.text += &super::declare(&symbols[2..], width + by);
            let n = &symbols[2];
            for root in [x, y] {
                let root = zero(by, root);
                let next = format!("(bvadd {root} {})", constant(1, width + by));
                text.assert(&format!("(bvule (bvmul {root} {root}) {n})"));
                text.assert(&format!("(bvult {n} (bvmul {next} {next}))"));
            }
            text.assert(&format!("(distinct {x} {y})"));
            text.problem(false)
        }
    }
}
