//! Questions as a symbolic executor asks them: inputs are arrays of bytes, read at constant and at
//! computed indices and concatenated to words; constant tables are asserted element by element at the
//! base level; branches are tried both ways on a stack that follows the path, deep at times.

use super::ast::{Op, Sort, T, bv, not, op};
use super::evaluate::{ArrayValue, Value};
use super::generate::Generator;

struct World {
    inputs: Vec<T>,
    table: Option<Table>,
    index_width: u32,
    /// How many bytes of an input are looked at: few, so that conditions meet.
    length: u32,
}

struct Table {
    array: T,
    size: u32,
}

pub fn fill(generator: &mut Generator) {
    let index_width = *generator.rng.pick(&[32, 32, 8, 16]);
    let bytes = Sort::Array(index_width, 8);
    let inputs = (0..generator.rng.between(1, 2))
        .map(|_| generator.declare(Vec::new(), bytes))
        .collect();
    let table = generator
        .rng
        .percent(50)
        .then(|| table(generator, index_width));
    let world = World {
        inputs,
        table,
        index_width,
        length: generator.rng.between(2, 5),
    };
    walk(generator, &|generator| condition(generator, &world));
}

/// Follows a path whose branches are these conditions.
pub fn walk(generator: &mut Generator, condition: &impl Fn(&mut Generator) -> T) {
    let by_assumptions = generator.rng.percent(20);
    for _ in 0..generator.rng.between(10, 30) {
        step(generator, condition, by_assumptions);
    }
}

/// A table like those of ctype: its elements are known, beyond its end nothing is.
fn table(generator: &mut Generator, index_width: u32) -> Table {
    let array = generator.declare(Vec::new(), Sort::Array(index_width, 8));
    let size = *generator.rng.pick(&[8, 16, 32]);
    let kinds: Vec<u128> = (0..3).map(|_| generator.rng.below(256) as u128).collect();
    let elements: Vec<u128> = (0..size).map(|_| *generator.rng.pick(&kinds)).collect();
    let entries = elements
        .iter()
        .enumerate()
        .map(|(place, &element)| (place as u128, element))
        .collect();
    generator.let_witness_know(
        &array,
        Value::Array(ArrayValue {
            index_width,
            default: 0,
            entries,
        }),
    );
    for (place, &element) in elements.iter().enumerate() {
        let read = op(Op::Select, [array.clone(), bv(place as u128, index_width)]);
        generator.assert(op(Op::Eq, [read, bv(element, 8)]));
    }
    Table { array, size }
}

fn step(generator: &mut Generator, condition: &impl Fn(&mut Generator) -> T, by_assumptions: bool) {
    let branch = condition(generator);
    let direction = if generator.rng.percent(45) {
        generator.bent(branch)
    } else {
        branch
    };
    if by_assumptions {
        generator.check_assuming(vec![direction.clone()]);
        generator.check_assuming(vec![not(direction.clone())]);
        if generator.rng.percent(50) {
            generator.push(1);
            generator.assert(direction);
        }
    } else {
        match generator.rng.below(3) {
            // Is the branch decided? Both ways are asked, then one is taken.
            0 => {
                generator.push(1);
                generator.assert(not(direction.clone()));
                check_here(generator);
                generator.pop(1);
                generator.push(1);
                generator.assert(direction);
                check_here(generator);
            }
            1 => {
                generator.push(1);
                generator.assert(op(Op::Eq, [super::ast::boolean(false), direction]));
                check_here(generator);
            }
            // Several constraints at once, as after a jump to another state.
            _ => {
                for _ in 0..generator.rng.between(1, 4) {
                    let more = condition(generator);
                    let more = if generator.rng.percent(80) {
                        generator.bent(more)
                    } else {
                        more
                    };
                    generator.push(1);
                    generator.assert(more);
                }
                check_here(generator);
            }
        }
    }
    if generator.depth() > 0 && generator.rng.percent(40) {
        let most = generator.depth();
        let levels = if generator.rng.percent(70) {
            1
        } else {
            generator.rng.between(1, most)
        };
        generator.pop(levels);
    }
}

fn check_here(generator: &mut Generator) {
    let depth = generator.depth();
    generator.check();
    // `check` may leave a level; the walk goes on from wherever it is.
    debug_assert!(generator.depth() <= depth);
    if generator.depth() == 0 {
        generator.push(1);
    }
}

fn byte(generator: &mut Generator, world: &World) -> T {
    let input = generator.rng.pick(&world.inputs).clone();
    let place = generator.rng.between(0, world.length - 1);
    op(
        Op::Select,
        [input, bv(u128::from(place), world.index_width)],
    )
}

/// Consecutive bytes as a little-endian word, the way memory is read.
fn word(generator: &mut Generator, world: &World, bytes: u32) -> T {
    let input = generator.rng.pick(&world.inputs).clone();
    let at = |place: u32| {
        op(
            Op::Select,
            [input.clone(), bv(u128::from(place), world.index_width)],
        )
    };
    (1..bytes).fold(at(0), |low, place| op(Op::Concat, [at(place), low]))
}

fn character(generator: &mut Generator) -> T {
    let value = *generator.rng.pick(&[
        0, 0, 0x0a, 0x20, 0x2d, 0x30, 0x31, 0x39, 0x41, 0x5c, 0x61, 0x7a, 0x80, 0xff,
    ]);
    bv(value, 8)
}

fn widen(generator: &mut Generator, term: T, width: u32) -> T {
    let by = width - term.sort.width();
    if generator.rng.percent(50) {
        op(Op::ZeroExtend(by), [term])
    } else {
        op(Op::SignExtend(by), [term])
    }
}

fn comparison(generator: &mut Generator, left: T, right: T) -> T {
    use Op::*;
    let operator = *generator
        .rng
        .pick(&[Eq, Eq, Eq, BvUlt, BvUle, BvSlt, BvSle, BvUgt, BvSge]);
    if generator.rng.percent(70) {
        op(operator, [left, right])
    } else {
        op(operator, [right, left])
    }
}

fn condition(generator: &mut Generator, world: &World) -> T {
    match generator.rng.weighted(&[30, 15, 15, 12, 10, 10, 8]) {
        0 => {
            let (left, right) = (byte(generator, world), character(generator));
            comparison(generator, left, right)
        }
        1 => {
            let bytes = *generator.rng.pick(&[2, 4, 4, 8]);
            let left = word(generator, world, bytes);
            let right = bv(generator.constant(8 * bytes), 8 * bytes);
            comparison(generator, left, right)
        }
        // One of several characters.
        2 => {
            let subject = byte(generator, world);
            let mut chain = op(Op::Eq, [subject.clone(), character(generator)]);
            for _ in 0..generator.rng.between(1, 4) {
                chain = op(
                    Op::Or,
                    [op(Op::Eq, [subject.clone(), character(generator)]), chain],
                );
            }
            chain
        }
        3 => table_condition(generator, world),
        // A read at an index that an input byte gives.
        4 => {
            let index = byte(generator, world);
            let index = op(Op::BvAnd, [index, bv(3, 8)]);
            let index = if world.index_width == 8 {
                index
            } else {
                op(Op::ZeroExtend(world.index_width - 8), [index])
            };
            let input = generator.rng.pick(&world.inputs).clone();
            let (left, right) = (op(Op::Select, [input, index]), character(generator));
            comparison(generator, left, right)
        }
        // Digits: the byte minus '0', times ten, plus the next one.
        5 => {
            let digit = |generator: &mut Generator| {
                let value = byte(generator, world);
                let value = widen(generator, value, 32);
                op(Op::BvAdd, [value, bv(0xffff_ffd0, 32)])
            };
            let high = digit(generator);
            let mut value = op(Op::BvMul, [bv(10, 32), high]);
            if generator.rng.percent(50) {
                value = op(Op::BvAdd, [value, digit(generator)]);
            }
            let right = bv(generator.rng.below(100) as u128, 32);
            comparison(generator, value, right)
        }
        _ => {
            let (left, right) = (byte(generator, world), byte(generator, world));
            let (left, right) = (widen(generator, left, 32), widen(generator, right, 32));
            comparison(generator, left, right)
        }
    }
}

fn table_condition(generator: &mut Generator, world: &World) -> T {
    let Some(table) = &world.table else {
        let (left, right) = (byte(generator, world), byte(generator, world));
        return op(Op::Eq, [left, right]);
    };
    let index = byte(generator, world);
    let index = if generator.rng.percent(60) {
        op(Op::BvAnd, [index, bv(u128::from(table.size - 1), 8)])
    } else {
        index
    };
    let index = if world.index_width == 8 {
        index
    } else {
        op(Op::ZeroExtend(world.index_width - 8), [index])
    };
    let read = op(Op::Select, [table.array.clone(), index]);
    if generator.rng.percent(40) {
        let bit = bv(1 << generator.rng.below(8), 8);
        return op(Op::Eq, [op(Op::BvAnd, [read, bit]), bv(0, 8)]);
    }
    let right = character(generator);
    comparison(generator, read, right)
}
