//! Random programs against a model that keeps each byte as its values under a few assignments.
//!
//! Every symbolic value of the machine is a term; evaluated under each assignment it must be what the model has for
//! that assignment. Offsets are fresh variables with a value in bounds. States fork, go on independently and die.

use refrain_llvm::memory::{Fault, Kind, Memory, Options, Origin, Site, Value, marker_index};
use refrain_term::{ArrayValue, Assignment, Bv, Evaluator, Op, Sort, Term, Terms};
use refrain_testing::Random;
use std::collections::{HashMap, HashSet};

/// How many assignments the model follows.
const WORLDS: usize = 3;

#[derive(Clone, Copy, PartialEq, Debug)]
struct Byte {
    values: [u8; WORLDS],
    /// Written as a number at a known offset, and not touched by an unknown one since.
    plain: bool,
    /// By world: whether something was written there.
    initialised: [bool; WORLDS],
}

impl Byte {
    fn is_written(&self) -> bool {
        self.initialised == [true; WORLDS]
    }
}

#[derive(Clone)]
struct Object {
    base: u64,
    size: u64,
    kind: Kind,
    live: bool,
    read_only: bool,
    /// What differs from `blank`.
    bytes: HashMap<u64, Byte>,
    blank: Byte,
    /// A write at an unknown offset makes all of the object unplain.
    smeared: bool,
}

impl Object {
    fn byte(&self, offset: u64) -> Byte {
        *self.bytes.get(&offset).unwrap_or(&Byte {
            plain: self.blank.plain && !self.smeared,
            ..self.blank
        })
    }

    fn range(&self, offset: u64, len: u64) -> Vec<Byte> {
        (offset..offset + len).map(|at| self.byte(at)).collect()
    }
}

struct State {
    memory: Memory,
    objects: Vec<Object>,
}

struct World {
    random: Random,
    terms: Terms,
    assignments: Vec<Assignment>,
    /// The same, with ones for whatever was not written.
    marked: Vec<Assignment>,
    evaluators: Vec<Evaluator>,
    fresh: u32,
    track: bool,
    hits: u64,
    reads: u64,
}

fn origin(kind: Kind) -> Origin {
    Origin {
        kind,
        name: 7,
        site: Site { function: 1, pc: 2 },
    }
}

fn mask(bytes: u64) -> u64 {
    u64::MAX >> (64 - 8 * bytes)
}

impl World {
    fn new(seed: u64, track: bool) -> World {
        World {
            random: Random::new(seed),
            terms: Terms::new(),
            assignments: vec![Assignment::new(); WORLDS],
            marked: vec![Assignment::new(); WORLDS],
            evaluators: (0..2 * WORLDS).map(|_| Evaluator::new()).collect(),
            fresh: 0,
            track,
            hits: 0,
            reads: 0,
        }
    }

    /// A variable with these values.
    fn variable(&mut self, width: u32, values: [u64; WORLDS]) -> Term {
        self.fresh += 1;
        let name = format!("v{}", self.fresh);
        let term = self.terms.var(&name, Sort::BitVec(width));
        let Op::Var(id) = self.terms.op(term) else {
            unreachable!()
        };
        for (index, value) in values.into_iter().enumerate() {
            self.assignments[index].set(id, Bv::new(width, value));
            self.marked[index].set(id, Bv::new(width, value));
        }
        term
    }

    fn eval(&mut self, term: Term) -> [u64; WORLDS] {
        std::array::from_fn(|i| self.evaluators[i].small(&self.terms, &self.assignments[i], term))
    }

    fn value(&mut self, value: Value) -> [u64; WORLDS] {
        match value {
            Value::Concrete(value) => [value; WORLDS],
            Value::Symbolic(term) => self.eval(term),
        }
    }

    /// The bits that are different where what was not written is.
    fn marks(&mut self, value: Value) -> [u64; WORLDS] {
        let Value::Symbolic(term) = value else {
            return [0; WORLDS];
        };
        let mut seen = HashSet::from([term]);
        let mut stack = vec![term];
        while let Some(variable) = stack.pop() {
            let args = self.terms.args(variable).iter().copied();
            stack.extend(args.filter(|&arg| seen.insert(arg)));
            if marker_index(&self.terms, variable).is_some()
                && let Op::Var(id) = self.terms.op(variable)
            {
                let ones = match self.terms.sort(variable) {
                    Sort::Array { index, .. } => {
                        refrain_term::Value::from(ArrayValue::filled(index, Bv::ones(8)))
                    }
                    sort => refrain_term::Value::from(Bv::ones(sort.width().unwrap())),
                };
                for assignment in &mut self.marked {
                    assignment.set(id, ones.clone());
                }
            }
        }
        let before = self.eval(term);
        std::array::from_fn(|i| {
            let evaluator = &mut self.evaluators[WORLDS + i];
            before[i] ^ evaluator.small(&self.terms, &self.marked[i], term)
        })
    }

    /// That exactly the bytes that nothing has written are marked.
    fn check_marks(&mut self, value: Value, expected: &[Byte], address: u64) {
        for (i, mark) in self.marks(value).into_iter().enumerate() {
            for (at, byte) in expected.iter().enumerate() {
                let marked = if byte.initialised[i] { 0 } else { 0xff };
                assert_eq!(mark >> (8 * at) & 0xff, marked, "byte {at} of {address:#x}");
            }
        }
    }

    /// A value to store, and its bytes.
    fn some_value(&mut self, bytes: u64) -> (Value, Vec<Byte>) {
        let byte = |values: [u64; WORLDS], at: u64, plain| Byte {
            values: values.map(|value| (value >> (8 * at)) as u8),
            plain,
            initialised: [true; WORLDS],
        };
        if self.random.percent(60) {
            let value = self.random.next() & mask(bytes);
            let bytes = (0..bytes).map(|at| byte([value; WORLDS], at, true));
            return (Value::Concrete(value), bytes.collect());
        }
        let values: [u64; WORLDS] = std::array::from_fn(|_| self.random.next() & mask(bytes));
        let width = 8 * bytes as u32;
        let variable = self.variable(width, values);
        let term = match self.random.below(3) {
            0 => variable,
            1 => {
                let other = self.terms.bv(width, self.random.next());
                self.terms.bv_add(variable, other)
            }
            _ => {
                let other = self.terms.bv(width, self.random.next());
                self.terms.bv_xor(variable, other)
            }
        };
        let values = self.eval(term);
        let bytes = (0..bytes).map(|at| byte(values, at, false));
        (Value::Symbolic(term), bytes.collect())
    }

    /// A symbolic offset that is in bounds under each assignment.
    fn some_offset(&mut self, size: u64, bytes: u64) -> (Term, [u64; WORLDS]) {
        let values = std::array::from_fn(|_| self.random.below(size - bytes + 1));
        (self.variable(64, values), values)
    }

    fn allocate(&mut self, state: &mut State) {
        let size = match self.random.below(24) {
            0 => 0,
            1..=8 => 1 + self.random.below(40),
            9..=12 => 1 + self.random.below(400),
            13 => 2040 + self.random.below(16),
            14 | 15 => 4090 + self.random.below(12),
            16 => 1 + self.random.below(9000),
            17 | 18 => 65_530 + self.random.below(12),
            19 | 20 => 60_000 + self.random.below(300_000),
            21 => 20_000_000 + self.random.below(50_000_000),
            _ => 8,
        };
        let most = if self.random.percent(10) { 21 } else { 6 };
        let align = 1 << self.random.below(most);
        let kind = [Kind::Heap, Kind::Stack, Kind::Global][self.random.below(3) as usize];
        let base = state.memory.allocate(size, align, origin(kind)).unwrap();
        assert!(base.is_multiple_of(align));
        for object in state.objects.iter().filter(|object| object.live) {
            assert!(base >= object.base + object.size || object.base >= base + size.max(1));
        }
        state
            .objects
            .retain(|object| object.live || object.base != base);
        state.objects.push(Object {
            base,
            size,
            kind,
            live: true,
            read_only: false,
            bytes: HashMap::new(),
            blank: Byte {
                values: [0; WORLDS],
                plain: true,
                initialised: [!self.track || kind == Kind::Global; WORLDS],
            },
            smeared: false,
        });
    }

    /// An object and a range in it, often near pages' ends and near the last one.
    fn some_range(&mut self, state: &State, len: u64) -> Option<(usize, u64)> {
        let candidates: Vec<usize> = (0..state.objects.len())
            .filter(|&i| state.objects[i].live && state.objects[i].size >= len && len > 0)
            .collect();
        if candidates.is_empty() {
            return None;
        }
        let object = candidates[self.random.below(candidates.len() as u64) as usize];
        let room = state.objects[object].size - len;
        let offset = match self.random.below(4) {
            0 => self.random.below(room + 1),
            1 => self.random.below(room.min(64) + 1),
            2 => room - self.random.below(room.min(64) + 1),
            _ => {
                let edge = (1 + self.random.below(room / 4096 + 1)) * 4096;
                (edge - self.random.below(16)).min(room)
            }
        };
        Some((object, offset))
    }

    fn fast_read(memory: &Memory, address: u64, bytes: u64) -> Option<u64> {
        match bytes {
            1 => memory.read8(address),
            2 => memory.read16(address),
            4 => memory.read32(address),
            8 => memory.read64(address),
            _ => None,
        }
    }

    fn load(&mut self, state: &mut State) {
        let bytes = [1, 2, 3, 4, 8, 8, 1, 5][self.random.below(8) as usize];
        let Some((index, offset)) = self.some_range(state, bytes) else {
            return;
        };
        let object = &state.objects[index];
        let address = object.base + offset;
        let expected = object.range(offset, bytes);
        let values: [u64; WORLDS] = std::array::from_fn(|i| {
            let bytes = expected.iter().rev();
            bytes.fold(0, |word, byte| word << 8 | byte.values[i] as u64)
        });
        let written = expected.iter().all(Byte::is_written);
        let plain = expected.iter().all(|byte| byte.plain);
        if let Some(fast) = Self::fast_read(&state.memory, address, bytes) {
            assert!(written);
            assert_eq!([fast; WORLDS], values, "fast read of {address:#x}");
            self.hits += 1;
        }
        self.reads += 1;
        match state.memory.load(&mut self.terms, address, bytes as u32) {
            Ok(value) => {
                if plain && written {
                    assert!(matches!(value, Value::Concrete(_)));
                    let fits = address % 4096 + bytes <= 4096;
                    if fits && [1, 2, 4, 8].contains(&bytes) {
                        let fast = Self::fast_read(&state.memory, address, bytes);
                        assert_eq!(fast, Some(values[0]), "after a load of {address:#x}");
                    }
                }
                assert_eq!(self.value(value), values, "load of {address:#x}");
                self.check_marks(value, &expected, address);
            }
            Err(fault) => panic!("{fault:?}"),
        }
    }

    fn set(object: &mut Object, offset: u64, bytes: &[Byte]) {
        for (at, &byte) in bytes.iter().enumerate() {
            object.bytes.insert(offset + at as u64, byte);
        }
    }

    fn store(&mut self, state: &mut State) {
        let bytes = [1, 2, 3, 4, 8, 8, 1, 7][self.random.below(8) as usize];
        let Some((index, offset)) = self.some_range(state, bytes) else {
            return;
        };
        let (value, contents) = self.some_value(bytes);
        let object = &mut state.objects[index];
        let address = object.base + offset;
        if let Value::Concrete(value) = value {
            let memory = &mut state.memory;
            let done = match bytes {
                1 => memory.write8(address, value),
                2 => memory.write16(address, value),
                4 => memory.write32(address, value),
                8 => memory.write64(address, value),
                _ => false,
            };
            if done {
                self.hits += 1;
                assert!(!object.read_only);
                let old = object.range(offset, bytes);
                assert!(old.iter().all(Byte::is_written));
                Self::set(object, offset, &contents);
                return;
            }
        }
        match state
            .memory
            .store(&mut self.terms, address, bytes as u32, value)
        {
            Ok(()) => {
                assert!(!object.read_only);
                Self::set(object, offset, &contents);
            }
            Err(Fault::ReadOnly { .. }) => assert!(object.read_only),
            Err(fault) => panic!("{fault:?}"),
        }
    }

    fn copy(&mut self, state: &mut State) {
        let len = match self.random.below(8) {
            0 => 1 + self.random.below(90_000),
            1 | 2 => 1 + self.random.below(5000),
            _ => 1 + self.random.below(40),
        };
        let Some((from, from_offset)) = self.some_range(state, len) else {
            return;
        };
        let (to, to_offset) = if self.random.percent(40) {
            let room = state.objects[from].size - len;
            let near = from_offset.saturating_sub(len / 2) + self.random.below(len + 1);
            (from, near.min(room))
        } else {
            self.some_range(state, len).unwrap()
        };
        let source = state.objects[from].base + from_offset;
        let target = state.objects[to].base + to_offset;
        match state.memory.copy(&mut self.terms, target, source, len) {
            Ok(()) => {
                let bytes = state.objects[from].range(from_offset, len);
                assert!(!state.objects[to].read_only);
                Self::set(&mut state.objects[to], to_offset, &bytes);
            }
            Err(Fault::ReadOnly { .. }) => assert!(state.objects[to].read_only),
            Err(fault) => panic!("{fault:?}"),
        }
    }

    fn fill(&mut self, state: &mut State) {
        let len = match self.random.below(8) {
            0 => 1 + self.random.below(200_000),
            1 => 1 + self.random.below(5000),
            _ => 1 + self.random.below(40),
        };
        let Some((index, offset)) = self.some_range(state, len) else {
            return;
        };
        let (value, byte) = if self.random.percent(40) {
            let zero = Byte {
                values: [0; WORLDS],
                plain: true,
                initialised: [true; WORLDS],
            };
            (Value::Concrete(0), zero)
        } else {
            let (value, bytes) = self.some_value(1);
            (value, bytes[0])
        };
        let object = &mut state.objects[index];
        let address = object.base + offset;
        match state.memory.fill(&mut self.terms, address, value, len) {
            Ok(()) => {
                assert!(!object.read_only);
                Self::set(object, offset, &vec![byte; len as usize]);
            }
            Err(Fault::ReadOnly { .. }) => assert!(object.read_only),
            Err(fault) => panic!("{fault:?}"),
        }
    }

    fn raw_bytes(&mut self, state: &mut State) {
        let most = if self.random.percent(10) { 70_000 } else { 50 };
        let len = 1 + self.random.below(most);
        let Some((index, offset)) = self.some_range(state, len) else {
            return;
        };
        let object = &mut state.objects[index];
        let address = object.base + offset;
        if self.random.percent(50) {
            let bytes: Vec<u8> = (0..len).map(|_| self.random.next() as u8).collect();
            let model: Vec<Byte> = bytes
                .iter()
                .map(|&byte| Byte {
                    values: [byte; WORLDS],
                    plain: true,
                    initialised: [true; WORLDS],
                })
                .collect();
            if self.random.percent(20) {
                state.memory.initialise(address, &bytes);
                Self::set(object, offset, &model);
            } else if state.memory.write_bytes(address, &bytes).is_ok() {
                assert!(!object.read_only);
                Self::set(object, offset, &model);
            } else {
                assert!(object.read_only);
            }
            return;
        }
        let model = object.range(offset, len);
        let mut out = vec![1, 2];
        match state.memory.concrete_bytes(address, len, &mut out) {
            Ok(true) => {
                assert!(model.iter().all(Byte::is_written));
                for (byte, &out) in model.iter().zip(&out[2..]) {
                    assert_eq!(byte.values, [out; WORLDS]);
                }
                assert_eq!(out.len() as u64, len + 2);
            }
            Ok(false) => {
                assert!(model.iter().any(|byte| !byte.plain || !byte.is_written()));
                assert_eq!(out, [1, 2]);
            }
            Err(fault) => panic!("{fault:?}"),
        }
        let rest = object.size - offset;
        if rest > 20_000 {
            return;
        }
        let model = object.range(offset, rest);
        match state.memory.concrete_len_to_nul(address) {
            Ok(Some(nul)) => {
                let (string, end) = (&model[..nul as usize], &model[nul as usize]);
                assert!(string.iter().all(|byte| byte.values[0] != 0));
                assert!(
                    string
                        .iter()
                        .all(|byte| byte.values == [byte.values[0]; WORLDS])
                );
                assert_eq!(end.values, [0; WORLDS]);
                assert!(model[..=nul as usize].iter().all(Byte::is_written));
            }
            Ok(None) => {
                let is_number = |byte: &Byte| byte.plain && byte.is_written();
                assert!(!model.iter().all(is_number));
            }
            Err(Fault::OutOfBounds { address, .. }) => {
                assert_eq!(address, object.base + object.size);
                assert!(model.iter().all(|byte| byte.values[0] != 0));
            }
            Err(fault) => panic!("{fault:?}"),
        }
    }

    fn symbolic_offset(&mut self, state: &mut State) {
        let bytes = [1, 2, 4, 8][self.random.below(4) as usize];
        let Some((index, _)) = self.some_range(state, bytes) else {
            return;
        };
        // Terms of the largest objects are as correct as those of large ones, and slow.
        if state.objects[index].size > 500_000 || state.objects[index].bytes.len() > 20_000 {
            return;
        }
        let (offset, values) = self.some_offset(state.objects[index].size, bytes);
        let object = &mut state.objects[index];
        if self.random.percent(60) {
            let memory = &mut state.memory;
            let term = memory.load_at(&mut self.terms, object.base, offset, bytes as u32);
            let object = &state.objects[index];
            let expected: [u64; WORLDS] = std::array::from_fn(|i| {
                let bytes = (values[i]..values[i] + bytes).rev();
                bytes.fold(0, |word, at| word << 8 | object.byte(at).values[i] as u64)
            });
            assert_eq!(self.eval(term), expected);
            let marks = self.marks(Value::Symbolic(term));
            for (i, mark) in marks.into_iter().enumerate() {
                for at in 0..bytes {
                    let is_marked = !object.byte(values[i] + at).initialised[i];
                    assert_eq!(mark >> (8 * at) & 0xff, if is_marked { 0xff } else { 0 });
                }
            }
            return;
        }
        if object.read_only {
            return;
        }
        let (value, contents) = self.some_value(bytes);
        let base = object.base;
        let memory = &mut state.memory;
        memory.store_at(&mut self.terms, base, offset, bytes as u32, value);
        let object = &mut state.objects[index];
        object.smeared = true;
        for byte in object.bytes.values_mut() {
            byte.plain = false;
        }
        for (i, value) in values.into_iter().enumerate() {
            for (at, byte) in contents.iter().enumerate() {
                let at = value + at as u64;
                let mut old = object.byte(at);
                old.values[i] = byte.values[i];
                old.initialised[i] = true;
                object.bytes.insert(at, old);
            }
        }
    }

    fn end(&mut self, state: &mut State) {
        let live: Vec<usize> = (0..state.objects.len())
            .filter(|&i| state.objects[i].live)
            .collect();
        if live.len() < 4 {
            return;
        }
        let object = &mut state.objects[live[self.random.below(live.len() as u64) as usize]];
        let site = Site { function: 3, pc: 4 };
        if object.kind == Kind::Heap {
            if object.size > 1 {
                let inside = state.memory.free(object.base + 1, site);
                assert!(matches!(inside, Err(Fault::BadFree { .. })));
            }
            state.memory.free(object.base, site).unwrap();
            let again = state.memory.free(object.base, site);
            assert!(matches!(again, Err(Fault::DoubleFree { .. })));
        } else {
            let wrong = state.memory.free(object.base, site);
            assert!(matches!(wrong, Err(Fault::BadFree { .. })));
            state.memory.release(object.base, site);
        }
        object.live = false;
        object.bytes = HashMap::new();
    }

    /// Accesses that must fail.
    fn faults(&mut self, state: &mut State) {
        if state.objects.is_empty() {
            return;
        }
        let index = self.random.below(state.objects.len() as u64) as usize;
        let object = &state.objects[index];
        let bytes = 1 + self.random.below(8);
        let memory = &mut state.memory;
        let inside = self.random.below(object.size + 1);
        let address = object.base + inside;
        let fits = inside + bytes <= object.size;
        assert_eq!(memory.contains(address, bytes), fits && object.live);
        let info = memory.object_at(address).unwrap();
        assert_eq!((info.base, info.size), (object.base, object.size));
        assert_eq!(info.freed.is_some(), !object.live);
        if fits && object.live {
            return;
        }
        for address in [address, object.base.wrapping_sub(bytes.min(16))] {
            if !object.live || address == object.base + inside {
                assert_eq!(
                    Self::fast_read(memory, address, bytes.next_power_of_two()),
                    None
                );
                assert!(!memory.write64(address, 1));
            }
            let value = Value::Concrete(0);
            for fault in [
                memory.load(&mut self.terms, address, bytes as u32).err(),
                memory
                    .store(&mut self.terms, address, bytes as u32, value)
                    .err(),
            ] {
                match fault.expect("a fault") {
                    Fault::UseAfterFree { object: info, .. } => {
                        assert!(!object.live);
                        assert_eq!(info.base, object.base);
                    }
                    Fault::OutOfBounds { object: info, .. } => {
                        assert!(object.live);
                        assert_eq!(info.base, object.base);
                    }
                    fault => panic!("{fault:?}"),
                }
            }
        }
    }

    fn step(&mut self, states: &mut Vec<State>) {
        let count = states.len();
        let which = self.random.below(count as u64) as usize;
        let state = &mut states[which];
        match self.random.below(100) {
            0..=7 => self.allocate(state),
            8..=12 => self.end(state),
            13..=39 => self.load(state),
            40..=64 => self.store(state),
            65..=70 => self.copy(state),
            71..=75 => self.fill(state),
            76..=80 => self.raw_bytes(state),
            81..=88 => self.symbolic_offset(state),
            89..=92 => self.faults(state),
            93 => {
                if let Some((index, offset)) = self.some_range(state, 1) {
                    let object = &mut state.objects[index];
                    object.read_only = self.random.percent(50);
                    if object.read_only {
                        state.memory.set_read_only(object.base + offset);
                    } else {
                        object.read_only = state.memory.object_at(object.base).unwrap().read_only;
                    }
                }
            }
            94 => state.memory.park(),
            95..=97 if count < 5 => {
                let memory = state.memory.fork();
                let objects = state.objects.clone();
                states.push(State { memory, objects });
            }
            _ if count > 1 && self.random.percent(50) => {
                states.swap_remove(which);
            }
            _ => {}
        }
    }
}

fn run(seed: u64, steps: u32, track: bool) -> (u64, u64) {
    let mut world = World::new(seed, track);
    let memory = Memory::new(Options {
        track_uninitialised: track,
        ..Options::default()
    });
    let mut states = vec![State {
        memory,
        objects: Vec::new(),
    }];
    for _ in 0..steps {
        world.step(&mut states);
    }
    for state in &mut states {
        // The whole contents in the end.
        for index in 0..state.objects.len() {
            let object = &state.objects[index];
            if !object.live || object.size > 3000 {
                continue;
            }
            for at in 0..object.size {
                let byte = object.byte(at);
                let address = object.base + at;
                let value = state.memory.load(&mut world.terms, address, 1).unwrap();
                assert_eq!(world.value(value), byte.values.map(u64::from));
                world.check_marks(value, &[byte], address);
            }
        }
        let live = state
            .objects
            .iter()
            .filter(|o| o.live && o.kind == Kind::Heap);
        let mut live: Vec<u64> = live.map(|object| object.base).collect();
        live.sort_unstable();
        let heap: Vec<u64> = state
            .memory
            .heap_objects()
            .map(|object| object.base)
            .collect();
        assert_eq!(heap, live);
        let size: u64 = state
            .objects
            .iter()
            .filter(|o| o.live)
            .map(|o| o.size)
            .sum();
        assert_eq!(state.memory.live_bytes(), size);
    }
    drop(states);
    assert_eq!(Memory::host_bytes(), 0, "everything was given back");
    (world.hits, world.reads)
}

/// How many seeds.
fn seeds() -> u64 {
    refrain_testing::count("MEMORY_SEEDS", 40, 2000)
}

#[test]
fn random_programs_agree_with_the_model() {
    let mut hits = 0;
    for seed in 1..=seeds() {
        hits += run(seed, 1500, false).0;
    }
    assert!(hits > 1000, "the fast paths were used {hits} times");
}

#[test]
fn random_programs_agree_with_the_model_when_initialisation_is_tracked() {
    for seed in 1..=seeds() {
        run(seed + 1_000_000, 1500, true);
    }
}
