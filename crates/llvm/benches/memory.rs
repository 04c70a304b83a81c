//! What memory costs, as ratios within one run.
//!
//! Forks against full copies, accesses through the translation cache against a plain array, and stack objects.

use refrain_llvm::memory::{Kind, Memory, Options, Origin, Site, Value};
use refrain_term::Terms;
use refrain_testing::Random;
use std::hint::black_box;
use std::time::{Duration, Instant};

const HEAP: Origin = Origin {
    kind: Kind::Heap,
    name: 0,
    site: Site { function: 0, pc: 0 },
};

const STACK: Origin = Origin {
    kind: Kind::Stack,
    ..HEAP
};

/// The best of several runs, in nanoseconds.
fn best(times: u32, mut run: impl FnMut() -> Duration) -> f64 {
    (0..times).map(|_| run()).min().unwrap().as_nanos() as f64
}

fn timed(run: impl FnOnce()) -> Duration {
    let start = Instant::now();
    run();
    start.elapsed()
}

fn forks(label: &str, count: usize, size: u64) {
    let mut terms = Terms::new();
    let mut memory = Memory::new(Options::default());
    let objects: Vec<u64> = (0..count)
        .map(|_| memory.allocate(size, 16, HEAP).unwrap())
        .collect();
    for &object in &objects {
        memory
            .fill(&mut terms, object, Value::Concrete(7), size)
            .unwrap();
    }
    let buffers: Vec<Vec<u8>> = (0..count).map(|_| vec![7u8; size as usize]).collect();
    let copy = best(5, || {
        let start = Instant::now();
        let copy = black_box(buffers.clone());
        let time = start.elapsed();
        drop(copy);
        time
    });
    let fork = best(50, || {
        let start = Instant::now();
        let fork = black_box(memory.fork());
        let time = start.elapsed();
        drop(fork);
        time
    });
    let first = best(50, || {
        let mut fork = memory.fork();
        let start = Instant::now();
        fork.store(&mut terms, objects[count / 2] + 8, 8, Value::Concrete(1))
            .unwrap();
        start.elapsed()
    });
    let second = best(50, || {
        let mut fork = memory.fork();
        fork.store(&mut terms, objects[count / 2] + 8, 8, Value::Concrete(1))
            .unwrap();
        let start = Instant::now();
        fork.store(
            &mut terms,
            objects[count / 2 + 1] + 8,
            8,
            Value::Concrete(1),
        )
        .unwrap();
        start.elapsed()
    });
    let fork_and_drop = best(50, || timed(|| drop(memory.fork())));
    println!(
        "fork, {label}: {:.2} us (with drop {:.2} us), full copy {:.0} us, ratio {:.0}; first write {:.2} us, \
         write to a neighbour {:.2} us",
        fork / 1e3,
        fork_and_drop / 1e3,
        copy / 1e3,
        copy / fork,
        first / 1e3,
        second / 1e3,
    );
}

/// Addresses in a few objects, as a program's locals and buffers would be.
fn accesses() {
    const COUNT: usize = 4096;
    const ROUNDS: usize = 2000;
    let mut terms = Terms::new();
    let mut memory = Memory::new(Options::default());
    let mut random = Random::new(1);
    let mut random = || random.next() >> 33;
    let objects: Vec<u64> = (0..16)
        .map(|i| {
            memory
                .allocate(if i < 12 { 64 } else { 8192 }, 16, STACK)
                .unwrap()
        })
        .collect();
    let places: Vec<(usize, u64)> = (0..COUNT)
        .map(|_| {
            let object = random() as usize % 16;
            (object, random() % if object < 12 { 8 } else { 1024 } * 8)
        })
        .collect();
    let addresses: Vec<u64> = places
        .iter()
        .map(|&(object, at)| objects[object] + at)
        .collect();
    let indices: Vec<usize> = places
        .iter()
        .map(|&(object, at)| object * 8192 + at as usize)
        .collect();
    let mut array = vec![0u8; 16 * 8192];
    for &address in &addresses {
        memory
            .store(&mut terms, address, 8, Value::Concrete(address))
            .unwrap();
    }
    let total = (COUNT * ROUNDS) as f64;

    let raw_read = best(5, || {
        timed(|| {
            let mut sum = 0u64;
            for _ in 0..ROUNDS {
                for &index in &indices {
                    let bytes = array[index..index + 8].try_into().unwrap();
                    sum = sum.wrapping_add(u64::from_le_bytes(bytes));
                }
            }
            black_box(sum);
        })
    }) / total;
    let read = best(5, || {
        timed(|| {
            let mut sum = 0u64;
            for _ in 0..ROUNDS {
                for &address in &addresses {
                    match memory.read64(address) {
                        Some(value) => sum = sum.wrapping_add(value),
                        None => panic!("a miss"),
                    }
                }
            }
            black_box(sum);
        })
    }) / total;
    let raw_write = best(5, || {
        timed(|| {
            for round in 0..ROUNDS as u64 {
                for &index in &indices {
                    array[index..index + 8].copy_from_slice(&round.to_le_bytes());
                }
                black_box(&mut array);
            }
        })
    }) / total;
    let write = best(5, || {
        timed(|| {
            for round in 0..ROUNDS as u64 {
                for &address in &addresses {
                    if !memory.write64(address, round) {
                        panic!("a miss");
                    }
                }
            }
        })
    }) / total;
    // Each address depends on the value read before.
    let chained = best(5, || {
        timed(|| {
            let mut last = 0u64;
            for _ in 0..ROUNDS {
                for &address in &addresses {
                    last = memory
                        .read64(address.wrapping_add(last & 1 << 63))
                        .unwrap_or(0);
                }
            }
            black_box(last);
        })
    }) / total;
    println!(
        "read64: {read:.2} ns, array {raw_read:.2} ns, ratio {:.2}; dependent {chained:.2} ns",
        read / raw_read
    );
    println!(
        "write64: {write:.2} ns, array {raw_write:.2} ns, ratio {:.2}",
        write / raw_write
    );

    let slow_load = best(5, || {
        timed(|| {
            for &address in &addresses {
                black_box(memory.load(&mut terms, address, 8).unwrap());
            }
        })
    }) / COUNT as f64;
    let slow_store = best(5, || {
        timed(|| {
            for &address in &addresses {
                memory
                    .store(&mut terms, address, 8, Value::Concrete(1))
                    .unwrap();
            }
        })
    }) / COUNT as f64;
    let variable = terms.var("x", refrain_term::Sort::BitVec(64));
    let symbolic = best(5, || {
        timed(|| {
            for &address in &addresses {
                memory
                    .store(&mut terms, address, 8, Value::Symbolic(variable))
                    .unwrap();
                black_box(memory.load(&mut terms, address, 8).unwrap());
            }
        })
    }) / COUNT as f64;
    println!(
        "slow path: load {slow_load:.1} ns, store {slow_store:.1} ns, symbolic store and load {symbolic:.1} ns"
    );
}

fn stack() {
    let mut memory = Memory::new(Options::default());
    const CALLS: usize = 1_000_000;
    for size in [8u64, 64, 256, 1024, 4096] {
        let time = best(5, || {
            timed(|| {
                for _ in 0..CALLS {
                    let address = memory.allocate(size, 8, STACK).unwrap();
                    memory.write64(address, 1);
                    black_box(memory.read64(address));
                    memory.release(address, Site::default());
                }
            })
        }) / CALLS as f64;
        println!("allocate, write, read, release of {size} bytes: {time:.1} ns");
    }
    let frames = best(5, || {
        timed(|| {
            let mut live = [0u64; 8];
            for _ in 0..CALLS / 8 {
                for slot in &mut live {
                    *slot = memory.allocate(24, 8, STACK).unwrap();
                }
                for &slot in &live {
                    memory.release(slot, Site::default());
                }
            }
        })
    }) / CALLS as f64;
    println!("frames of 8 objects: {frames:.1} ns per object");
    let start = Instant::now();
    for _ in 0..10_000 {
        let big = memory.allocate(1 << 30, 16, HEAP).unwrap();
        memory.free(big, Site::default()).unwrap();
    }
    println!(
        "malloc and free of a gigabyte: {:.2} us; table {} KiB",
        start.elapsed().as_nanos() as f64 / 1e7,
        memory.allocated_bytes() / 1024
    );
}

fn main() {
    forks("100 MB in 100 objects", 100, 1 << 20);
    forks("100 MB in 100,000 objects", 100_000, 1 << 10);
    accesses();
    stack();
}
