//! Single promises of memory: what the translation cache must forget, which faults come, how space is reused.

use refrain_llvm::memory::{Fault, Kind, Memory, Options, Origin, Site, Value, marker_index};
use refrain_term::{Sort, Terms};
use refrain_testing::Random;

const HEAP: Origin = Origin {
    kind: Kind::Heap,
    name: 5,
    site: Site { function: 1, pc: 9 },
};
const STACK: Origin = Origin {
    kind: Kind::Stack,
    ..HEAP
};
const FREED: Site = Site { function: 2, pc: 3 };

fn memory() -> (Terms, Memory) {
    (Terms::new(), Memory::new(Options::default()))
}

#[test]
fn both_sides_of_a_fork_keep_their_own() {
    for size in [8, 4096, 65_536, 1 << 20] {
        let (mut terms, mut parent) = memory();
        let base = parent.allocate(size, 8, HEAP).unwrap();
        parent
            .store(&mut terms, base, 8, Value::Concrete(1))
            .unwrap();
        assert!(parent.write64(base, 2));
        let mut child = parent.fork();
        assert_eq!(parent.read64(base), Some(2), "what is read stays");
        assert!(!parent.write64(base, 3));
        assert!(!child.write64(base, 3));
        assert_eq!(child.load(&mut terms, base, 8).unwrap(), Value::Concrete(2));
        child
            .store(&mut terms, base, 8, Value::Concrete(4))
            .unwrap();
        assert_eq!(child.read64(base), Some(4), "the copy, not the original");
        assert_eq!(parent.read64(base), Some(2));
        parent
            .store(&mut terms, base, 8, Value::Concrete(5))
            .unwrap();
        assert!(parent.write64(base, 6));
        drop(parent);
        assert_eq!(child.read64(base), Some(4));
        assert!(child.write64(base, 7));
        assert_eq!(child.load(&mut terms, base, 8).unwrap(), Value::Concrete(7));
    }
}

#[test]
fn the_original_is_written_in_place_when_the_copy_is_gone() {
    let (mut terms, mut parent) = memory();
    let base = parent.allocate(64, 8, HEAP).unwrap();
    drop(parent.fork());
    let held = Memory::host_bytes();
    parent
        .store(&mut terms, base, 8, Value::Concrete(1))
        .unwrap();
    assert_eq!(Memory::host_bytes(), held);
    assert_eq!(parent.read64(base), Some(1));
}

#[test]
fn a_page_of_zeros_becomes_real() {
    let (mut terms, mut memory) = memory();
    let base = memory.allocate(1 << 30, 8, HEAP).unwrap();
    let held = memory.allocated_bytes();
    let at = base + (123 << 16) + 4096;
    assert_eq!(memory.load(&mut terms, at, 8).unwrap(), Value::Concrete(0));
    assert_eq!(memory.read64(at + 8), Some(0));
    assert!(!memory.write64(at + 8, 1));
    assert_eq!(memory.allocated_bytes(), held);
    memory
        .store(&mut terms, at + 8, 8, Value::Concrete(7))
        .unwrap();
    assert_eq!(memory.read64(at + 8), Some(7));
    assert_eq!(memory.allocated_bytes(), held + (1 << 16));
    let zero = Value::Concrete(0);
    memory.fill(&mut terms, base, zero, 1 << 30).unwrap();
    assert_eq!(memory.allocated_bytes(), held);
    assert_eq!(memory.read64(at + 8), None);
    assert_eq!(memory.load(&mut terms, at + 8, 8).unwrap(), zero);
}

#[test]
fn symbolic_bytes_leave_the_cache_and_return() {
    let (mut terms, mut memory) = memory();
    let base = memory.allocate(32, 8, STACK).unwrap();
    let x = terms.var("x", Sort::BitVec(32));
    assert!(memory.write64(base + 8, 0x1111_2222_3333_4444));
    memory
        .store(&mut terms, base + 8, 4, Value::Symbolic(x))
        .unwrap();
    assert_eq!(memory.read64(base + 8), None);
    assert!(!memory.write8(base + 8, 1));
    assert_eq!(
        memory.load(&mut terms, base + 8, 4).unwrap(),
        Value::Symbolic(x)
    );
    assert_eq!(
        memory.load(&mut terms, base + 12, 4).unwrap(),
        Value::Concrete(0x1111_2222)
    );
    assert_eq!(
        memory.read32(base + 12),
        Some(0x1111_2222),
        "next to symbolic bytes"
    );
    assert_eq!(memory.read8(base + 11), None);
    let high = terms.extract(x, 31, 16);
    assert_eq!(
        memory.load(&mut terms, base + 10, 2).unwrap(),
        Value::Symbolic(high)
    );
    memory
        .store(&mut terms, base + 8, 4, Value::Concrete(9))
        .unwrap();
    assert_eq!(memory.read64(base + 8), Some(0x1111_2222_0000_0009));
}

/// A stored term comes back as it is, though its bytes are not extracts of it.
#[test]
fn loads_give_back_what_was_stored() {
    let (mut terms, mut memory) = memory();
    let base = memory.allocate(16, 8, STACK).unwrap();
    let (x, y) = (
        terms.var("x", Sort::BitVec(64)),
        terms.var("y", Sort::BitVec(64)),
    );
    let both = terms.bv_and(x, y);
    memory
        .store(&mut terms, base + 3, 8, Value::Symbolic(both))
        .unwrap();
    let before = terms.len();
    assert_eq!(
        memory.load(&mut terms, base + 3, 8).unwrap(),
        Value::Symbolic(both)
    );
    assert_eq!(terms.len(), before);
    let other = memory.allocate(16, 8, HEAP).unwrap();
    memory.copy(&mut terms, other, base + 3, 8).unwrap();
    assert_eq!(
        memory.load(&mut terms, other, 8).unwrap(),
        Value::Symbolic(both)
    );
}

#[test]
fn a_write_after_an_image_is_noticed() {
    let (mut terms, mut memory) = memory();
    let base = memory.allocate(16, 8, STACK).unwrap();
    let offset = terms.var("i", Sort::BitVec(64));
    assert!(memory.write8(base + 3, 5));
    let first = memory.load_at(&mut terms, base, offset, 1);
    assert!(!memory.write8(base + 3, 6), "the image is cached");
    memory
        .store(&mut terms, base + 3, 1, Value::Concrete(6))
        .unwrap();
    let second = memory.load_at(&mut terms, base, offset, 1);
    assert_ne!(first, second);
    assert_eq!(memory.load_at(&mut terms, base, offset, 1), second);
    memory
        .store(&mut terms, base + 3, 1, Value::Concrete(5))
        .unwrap();
    assert_eq!(memory.load_at(&mut terms, base, offset, 1), first);
}

#[test]
fn concrete_bytes_over_an_array_stay_concrete() {
    let (mut terms, mut memory) = memory();
    let base = memory.allocate(16, 8, STACK).unwrap();
    let offset = terms.var("i", Sort::BitVec(64));
    memory.store_at(&mut terms, base, offset, 1, Value::Concrete(9));
    assert!(matches!(
        memory.load(&mut terms, base + 4, 4).unwrap(),
        Value::Symbolic(_)
    ));
    assert_eq!(memory.read32(base + 4), None);
    memory
        .store(&mut terms, base + 4, 4, Value::Concrete(77))
        .unwrap();
    assert_eq!(memory.read32(base + 4), Some(77));
    assert!(memory.write32(base + 4, 78));
    assert_eq!(
        memory.load(&mut terms, base + 4, 4).unwrap(),
        Value::Concrete(78)
    );
    memory
        .fill(&mut terms, base, Value::Concrete(0), 16)
        .unwrap();
    assert!(memory.write64(base, 1) || memory.load(&mut terms, base, 8).is_ok());
    assert_eq!(
        memory.load(&mut terms, base + 4, 4).unwrap(),
        Value::Concrete(0)
    );
}

#[test]
fn read_only_objects_are_not_written() {
    let (mut terms, mut memory) = memory();
    let base = memory.allocate(16, 8, HEAP).unwrap();
    assert!(memory.write64(base, 1));
    memory.set_read_only(base + 5);
    assert!(!memory.write64(base, 2));
    let store = memory.store(&mut terms, base, 8, Value::Concrete(2));
    assert!(matches!(store, Err(Fault::ReadOnly { .. })));
    assert_eq!(memory.read64(base), Some(1));
    memory.initialise(base, &[3]);
    assert_eq!(
        memory.load(&mut terms, base, 1).unwrap(),
        Value::Concrete(3)
    );
    assert!(!memory.write64(base, 2));
}

#[test]
fn freed_objects_are_remembered_through_the_quarantine() {
    let (mut terms, mut memory) = memory();
    let base = memory.allocate(16, 8, HEAP).unwrap();
    assert!(memory.write64(base, 1));
    memory.free(base, FREED).unwrap();
    assert_eq!(memory.read64(base), None);
    assert!(!memory.write64(base, 1));
    for _ in 0..60_000 {
        let other = memory.allocate(16, 8, STACK).unwrap();
        memory.release(other, FREED);
    }
    match memory.load(&mut terms, base + 4, 4) {
        Err(Fault::UseAfterFree { object, .. }) => {
            assert_eq!((object.base, object.size), (base, 16));
            assert_eq!(object.freed, Some(FREED));
            assert_eq!(object.origin.site, HEAP.site);
            assert_eq!(object.origin.name, 5);
        }
        other => panic!("{other:?}"),
    }
    let held = memory.allocated_bytes();
    let mut reused = false;
    for _ in 0..200_000 {
        let other = memory.allocate(16, 8, STACK).unwrap();
        assert_eq!(memory.read64(other), Some(0));
        assert!(memory.write64(other, u64::MAX));
        reused |= other >> 24 == base >> 24;
        memory.release(other, FREED);
    }
    assert!(reused);
    assert!(memory.allocated_bytes() < held + (1 << 20));
}

#[test]
fn large_objects_come_and_go_without_end() {
    let (mut terms, mut memory) = memory();
    let mut highest = 0;
    for i in 0..20_000u64 {
        let size = (20 << 20) + i % 7 * (30 << 20);
        let base = memory.allocate(size, 1 << (i % 21), HEAP).unwrap();
        assert!(base.is_multiple_of(1 << (i % 21)));
        assert!(!memory.contains(base + size, 1));
        assert_eq!(memory.object_at(base + size).unwrap().base, base);
        memory
            .store(&mut terms, base + size - 8, 8, Value::Concrete(i))
            .unwrap();
        memory.free(base, FREED).unwrap();
        let stale = memory.load(&mut terms, base + size - 8, 8);
        assert!(matches!(stale, Err(Fault::UseAfterFree { .. })));
        highest = highest.max(base);
    }
    assert!(highest < 1 << 40);
    assert!(memory.allocated_bytes() < 1 << 20);
}

#[test]
fn addresses_repeat() {
    let run = || {
        let (_, mut memory) = memory();
        let mut addresses = Vec::new();
        for i in 0..70_000u64 {
            let address = memory.allocate(i % 100, 8, STACK).unwrap();
            addresses.push(address);
            if i % 3 != 0 {
                memory.release(address, FREED);
            }
        }
        addresses
    };
    assert_eq!(run(), run());
}

#[test]
fn wild_accesses_say_what_they_are() {
    let (mut terms, mut memory) = memory();
    let code = memory.place_function(3);
    assert_eq!(memory.function_at(code), Some(3));
    assert_eq!(memory.function_at(code + 1), None);
    assert_eq!(memory.function_at(code + 16), None);
    assert_eq!(
        memory.object_at(code + 2).unwrap().origin.kind,
        Kind::Function
    );
    let base = memory.allocate(0, 1, HEAP).unwrap();
    let other = memory.allocate(0, 1, HEAP).unwrap();
    assert_ne!(base, other);
    assert!(memory.contains(base, 0) && !memory.contains(base, 1));
    let mut load = |address| memory.load(&mut terms, address, 4).unwrap_err();
    assert!(matches!(load(16), Fault::Null { .. }));
    assert!(matches!(load(code), Fault::Function { .. }));
    assert!(matches!(load(base), Fault::OutOfBounds { .. }));
    assert!(matches!(
        load(other + (1 << 24)),
        Fault::Wild {
            nearest: Some(_),
            ..
        }
    ));
    assert!(matches!(load(u64::MAX), Fault::Wild { nearest: None, .. }));
    assert!(memory.free(0, FREED).is_ok());
    assert!(matches!(
        memory.free(code, FREED),
        Err(Fault::BadFree { .. })
    ));
    let past = 1u64 << 60;
    assert!(matches!(
        memory.free(past, FREED),
        Err(Fault::BadFree { object: None, .. })
    ));
}

#[test]
fn the_limit_holds() {
    let mut memory = Memory::new(Options {
        limit: 1000,
        ..Options::default()
    });
    let base = memory.allocate(900, 8, HEAP).unwrap();
    assert_eq!(memory.allocate(101, 8, HEAP), None);
    assert_eq!(memory.allocate(u64::MAX, 8, HEAP), None);
    memory.free(base, FREED).unwrap();
    assert!(memory.allocate(1000, 8, HEAP).is_some());
    let mut memory = Memory::new(Options {
        limit: u64::MAX,
        ..Options::default()
    });
    assert_eq!(memory.allocate(1 << 60, 8, HEAP), None);
    assert!(memory.allocate(1 << 38, 8, HEAP).is_some());
}

#[test]
fn padding_is_copied_as_it_is() {
    let mut terms = Terms::new();
    let mut memory = Memory::new(Options {
        track_uninitialised: true,
        ..Options::default()
    });
    let from = memory.allocate(8, 8, STACK).unwrap();
    let to = memory.allocate(8, 8, HEAP).unwrap();
    memory
        .store(&mut terms, from, 1, Value::Concrete(1))
        .unwrap();
    memory
        .store(&mut terms, from + 4, 4, Value::Concrete(2))
        .unwrap();
    memory.copy(&mut terms, to, from, 8).unwrap();
    assert_eq!(
        memory.load(&mut terms, to + 4, 4).unwrap(),
        Value::Concrete(2)
    );
    let Ok(Value::Symbolic(word)) = memory.load(&mut terms, to, 4) else {
        panic!("a word with markers in it");
    };
    let (written, padding) = (terms.extract(word, 7, 0), terms.extract(word, 31, 8));
    assert_eq!(terms.small_value(written), Some(1));
    let marker = marker_index(&terms, padding).expect("a marker");
    let (address, object) = memory.marked(marker);
    assert_eq!((address, object.base), (to + 1, to));
    memory
        .store(&mut terms, to + 1, 2, Value::Concrete(0))
        .unwrap();
    memory
        .store(&mut terms, to + 3, 1, Value::Concrete(0))
        .unwrap();
    assert_eq!(
        memory.load(&mut terms, to, 8).unwrap(),
        Value::Concrete(0x2_0000_0001)
    );
    assert_eq!(memory.read64(to), Some(0x2_0000_0001));
}

#[test]
fn what_is_not_touched_costs_nothing() {
    let (mut terms, mut memory) = memory();
    let before = Memory::host_bytes();
    let size = 1u64 << 39;
    let base = memory.allocate(size, 8, HEAP).unwrap();
    for at in [0, 8, 65_528, size / 2, size - 8] {
        memory
            .store(&mut terms, base + at, 8, Value::Concrete(at + 1))
            .unwrap();
    }
    let mut child = memory.fork();
    child.free(base, FREED).unwrap();
    for at in [0, 8, 65_528, size / 2, size - 8] {
        let value = memory.load(&mut terms, base + at, 8).unwrap();
        assert_eq!(value, Value::Concrete(at + 1));
    }
    let unwritten = memory.load(&mut terms, base + size / 3, 8).unwrap();
    assert_eq!(unwritten, Value::Concrete(0));
    assert!(Memory::host_bytes() - before <= 4 * 65_536);
    let other = memory.allocate(size, 8, HEAP).unwrap();
    memory.copy(&mut terms, other, base, size).unwrap();
    let value = memory.load(&mut terms, other + size / 2, 8).unwrap();
    assert_eq!(value, Value::Concrete(size / 2 + 1));
    assert!(Memory::host_bytes() - before <= 8 * 65_536);
    assert!(matches!(
        memory.load(&mut terms, base + size, 1),
        Err(Fault::OutOfBounds { .. })
    ));
}

#[test]
fn what_is_touched_has_a_limit() {
    let mut terms = Terms::new();
    let mut memory = Memory::new(Options {
        resident: 1 << 20,
        ..Options::default()
    });
    let base = memory.allocate(1 << 30, 8, HEAP).unwrap();
    let byte = Value::Concrete(7);
    assert!(matches!(
        memory.fill(&mut terms, base, byte, 1 << 21),
        Err(Fault::Exhausted { .. })
    ));
    assert_eq!(
        memory.load(&mut terms, base, 1).unwrap(),
        Value::Concrete(0)
    );
    memory
        .fill(&mut terms, base, Value::Concrete(0), 1 << 30)
        .unwrap();
    let mut bytes = Vec::new();
    assert!(matches!(
        memory.concrete_bytes(base, 1 << 30, &mut bytes),
        Err(Fault::Exhausted { .. })
    ));
    let stored = (0..1 << 30)
        .step_by(65_536)
        .take_while(|&at| memory.store(&mut terms, base + at, 1, byte).is_ok());
    assert_eq!(stored.count(), 16);
    assert_eq!(memory.allocate(65_536, 8, HEAP), None);
    assert_eq!(memory.allocate(1 << 30, 8, HEAP), None);
    memory.free(base, FREED).unwrap();
    assert!(memory.allocate(65_536, 8, HEAP).is_some());
}

#[test]
fn objects_lie_where_the_program_wants_them() {
    let (mut terms, mut memory) = memory();
    const GLOBAL: Origin = Origin {
        kind: Kind::Global,
        ..HEAP
    };
    let before = memory.allocate(100, 8, HEAP).unwrap();
    memory.place_at(0x80, 4, GLOBAL).unwrap();
    memory.place_at(0x90, 8, GLOBAL).unwrap();
    let value = Value::Concrete(0x1122_3344);
    memory.store(&mut terms, 0x80, 4, value).unwrap();
    memory.store(&mut terms, 0x90, 4, value).unwrap();
    assert_eq!(
        memory.load(&mut terms, 0x82, 2).unwrap(),
        Value::Concrete(0x1122)
    );
    assert_eq!(memory.read16(0x82), Some(0x1122));
    assert!(memory.contains(0x90, 8) && !memory.contains(0x90, 9));
    // Beside them there is still nothing.
    assert!(matches!(
        memory.load(&mut terms, 0x84, 1),
        Err(Fault::OutOfBounds { object, .. }) if object.base == 0x80
    ));
    assert!(matches!(
        memory.load(&mut terms, 0x40, 1),
        Err(Fault::Null { .. })
    ));
    assert!(matches!(
        memory.free(0x80, FREED),
        Err(Fault::BadFree { .. })
    ));
    // What is taken stays so.
    for (address, size) in [(0x7d, 4), (0x83, 1), (0x90, 8), (0, 4096), (before + 99, 4)] {
        assert!(
            memory.place_at(address, size, GLOBAL).is_err(),
            "{address:#x}"
        );
    }
    memory.place_at(before + 100, 4, GLOBAL).unwrap();
    for (address, size) in [(u64::MAX - 3, 4), (1 << 47, 8), (u64::MAX, 2), (0x1000, 0)] {
        assert!(
            memory.place_at(address, size, GLOBAL).is_err(),
            "{address:#x}"
        );
    }
    // A fork has its own contents.
    let mut child = memory.fork();
    child
        .store(&mut terms, 0x80, 1, Value::Concrete(1))
        .unwrap();
    assert_eq!(memory.load(&mut terms, 0x80, 4).unwrap(), value);
    assert_eq!(
        child.load(&mut terms, 0x80, 4).unwrap(),
        Value::Concrete(0x1122_3301)
    );
}

#[test]
fn new_objects_keep_clear_of_fixed_ones() {
    let (_, mut memory) = memory();
    let first = memory.allocate(8, 8, HEAP).unwrap();
    let slot = 1u64 << 24;
    let mut taken = vec![(first, 8)];
    for ahead in [1, 3, 6, 40] {
        let at = (first & !(slot - 1)) + ahead * slot;
        memory.place_at(at, slot + 8, HEAP).unwrap();
        taken.push((at, slot + 8));
    }
    for index in 0..100u64 {
        let size = if index % 7 == 0 { slot } else { 1 + index };
        let base = memory.allocate(size, 8, HEAP).unwrap();
        for &(other, len) in &taken {
            assert!(base + size <= other || other + len <= base, "{base:#x}");
        }
        taken.push((base, size));
        if index % 3 == 0 {
            memory.free(base, FREED).unwrap();
            taken.pop();
        }
    }
}

/// The translation cache maps pages of addresses, and a fixed object need not start at one.
#[test]
fn an_object_that_starts_in_the_middle_of_a_page_is_its_bytes() {
    let (mut terms, mut memory) = memory();
    let (base, size) = (0x5_4321u64, 300_000u64);
    memory.place_at(base, size, HEAP).unwrap();
    let mut model = vec![0u8; size as usize];
    let mut random = Random::new(3);
    let mut random = |n: u64| random.below(n);
    for step in 0..200_000u64 {
        // Around the ends of pages, of addresses and of data.
        let page = [4096, 65_536][random(2) as usize];
        let near = random(size / page + 1) * page + random(32);
        let at = if random(2) == 0 {
            near
        } else {
            near.wrapping_sub(base)
        };
        if at >= size - 8 {
            continue;
        }
        let place = at as usize;
        if random(2) == 0 {
            let value = step.wrapping_mul(0x9e37_79b9_7f4a_7c15);
            if !memory.write64(base + at, value) {
                memory
                    .store(&mut terms, base + at, 8, Value::Concrete(value))
                    .unwrap();
            }
            model[place..place + 8].copy_from_slice(&value.to_le_bytes());
        } else {
            let expected = u64::from_le_bytes(model[place..place + 8].try_into().unwrap());
            match memory.read64(base + at) {
                Some(value) => assert_eq!(value, expected, "at {at}"),
                None => assert_eq!(
                    memory.load(&mut terms, base + at, 8).unwrap(),
                    Value::Concrete(expected),
                    "at {at}"
                ),
            }
        }
    }
}
