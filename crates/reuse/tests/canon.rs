//! Canonical forms: the same set under other names, in another order, with operands swapped, has the same key; and a
//! key says all about its set.

#[path = "canon/recipe.rs"]
mod recipe;

use recipe::{Random, Recipe, World, assignment};
use refrain_path::restriction::Restrictions;
use refrain_reuse::canon::{
    Canonical, Canonizer, Pattern, SlotSort, SlotTerm, Symmetry, instantiate, slot_sorts,
};
use refrain_term::{Input, Inputs, Rational, Sort, Support, Term, Terms, Value, eval, substitute};

fn canonize_in(canonizer: &mut Canonizer, terms: &Terms, atoms: &[Term]) -> Option<Canonical> {
    let mut support = Support::new();
    let inputs: Vec<Inputs> = atoms.iter().map(|&a| support.inputs(terms, a)).collect();
    let atoms: Vec<(Term, &Inputs)> = atoms.iter().copied().zip(&inputs).collect();
    canonizer.canonize(terms, &atoms)
}

fn canonize(terms: &Terms, atoms: &[Term]) -> Canonical {
    canonize_in(&mut Canonizer::new(), terms, atoms).expect("a small set")
}

fn own_slots(canonical: &Canonical) -> Vec<SlotTerm> {
    let slot = |input: &Input| match *input {
        Input::Symbol(term) | Input::Cell(term) | Input::Array(term) => SlotTerm::Term(term),
        Input::Func(func) => SlotTerm::Func(func),
    };
    canonical.slots.iter().map(slot).collect()
}

/// Symbols of the sorts of a key, in an arena of their own.
fn fresh_slots(terms: &mut Terms, key: &[u8]) -> Vec<SlotTerm> {
    let sorts = slot_sorts(key).expect("a key").into_iter().enumerate();
    sorts
        .map(|(at, sort)| match sort {
            SlotSort::Plain(sort) => SlotTerm::Term(terms.var(&format!("s{at}"), sort)),
            SlotSort::Func { args, result } => {
                SlotTerm::Func(terms.func(&format!("f{at}"), &args, result))
            }
        })
        .collect()
}

/// The key's atoms over the set's own inputs must be the set's atoms, under any assignment.
fn check_reading(random: &mut Random, terms: &mut Terms, atoms: &[Term], canonical: &Canonical) {
    let read = instantiate(terms, &canonical.key, &own_slots(canonical)).expect("a key");
    assert_eq!(read.len(), canonical.order.len());
    for _ in 0..12 {
        let values = assignment(random, terms, atoms);
        for (&read, &index) in read.iter().zip(&canonical.order) {
            let atom = atoms[index as usize];
            assert_eq!(
                eval(terms, read, &values),
                eval(terms, atom, &values),
                "{}\n{}",
                refrain_term::print(terms, read),
                refrain_term::print(terms, atom)
            );
        }
    }
}

fn show(terms: &Terms, atoms: &[Term]) -> String {
    let lines: Vec<String> = atoms
        .iter()
        .map(|&a| refrain_term::print(terms, a))
        .collect();
    lines.join("\n")
}

/// How many random sets are tried.
fn sets() -> u64 {
    refrain_testing::effort(4_000, 100_000)
}

#[test]
fn names_and_orders_do_not_matter() {
    let mut distinct = std::collections::HashSet::new();
    let mut tried = 0;
    for seed in 1..=sets() {
        let mut random = Random::new(seed);
        let recipe = Recipe::random(&mut random);
        let mut first = Terms::new();
        let world = World::declare(&mut first, &mut Random::new(seed * 7 + 1));
        let atoms = recipe.build(&mut first, &world, None);
        // No query with an atom that is false gets so far.
        if atoms.contains(&Term::FALSE) {
            continue;
        }
        tried += 1;
        let one = canonize(&first, &atoms);
        check_reading(&mut random, &mut first, &atoms, &one);
        for is_swapped in [false, true] {
            let mut second = Terms::new();
            let world = World::declare(&mut second, &mut Random::new(seed * 13 + 5));
            let swaps = is_swapped.then_some(&mut random);
            let mut others = recipe.build(&mut second, &world, swaps);
            random.shuffle(&mut others);
            let again = others[random.below(others.len() as u64) as usize];
            others.push(again);
            let other = canonize(&second, &others);
            assert_eq!(
                one.key,
                other.key,
                "seed {seed}\n{}\n--\n{}",
                show(&first, &atoms),
                show(&second, &others)
            );
            check_reading(&mut random, &mut second, &others, &other);
        }
        distinct.insert(one.key);
    }
    assert!(distinct.len() > tried / 2, "{} of {tried}", distinct.len());
}

fn subject(terms: &mut Terms, atom: Term) -> Term {
    let (mut support, mut restrictions) = (Support::new(), Restrictions::new());
    restrictions.of(terms, &mut support, atom).subject
}

/// What atoms are about has one pattern under other names and in other orders, and can be read as its symmetries say.
#[test]
fn patterns_and_their_symmetries() {
    let (mut all, mut different, mut negated, mut symmetric) = (0, 0, 0, 0);
    for seed in 0..refrain_testing::effort(3_000, 100_000) {
        let mut random = Random::new(seed);
        let recipe = Recipe::random(&mut random);
        let (mut terms, mut others) = (Terms::new(), Terms::new());
        let world = World::declare(&mut terms, &mut random);
        let atoms = recipe.build(&mut terms, &world, None);
        let other_world = World::declare(&mut others, &mut random);
        let again = recipe.build(&mut others, &other_world, Some(&mut random));
        let mut canonizer = Canonizer::new();
        for (&atom, &other) in atoms.iter().zip(&again) {
            let (own, other) = (subject(&mut terms, atom), subject(&mut others, other));
            if terms.is_value(own) {
                continue;
            }
            let pattern = canonizer.pattern(&terms, own).expect("small");
            let of_other = Canonizer::new().pattern(&others, other).expect("small");
            all += 1;
            if pattern.key != of_other.key {
                // Constructors take a sum apart in ways that depend on the order of its parts.
                different += 1;
                continue;
            }
            negated += u32::from(pattern.is_negated != of_other.is_negated);
            let symmetries = canonizer.symmetries(&terms, own, &pattern.slots);
            symmetric += symmetries.len() - 1;
            for symmetry in symmetries {
                check_symmetry(&mut random, &mut terms, own, &pattern, &symmetry);
            }
        }
    }
    println!("{different} of {all} are different; {symmetric} symmetries, {negated} negated");
    assert!(symmetric > 500 && negated > 50 && 100 * different < all);
}

/// With its inputs in another order a subject has the value that it has, or the negated one.
fn check_symmetry(
    random: &mut Random,
    terms: &mut Terms,
    subject: Term,
    pattern: &Pattern,
    symmetry: &Symmetry,
) {
    let term = |input: Input| match input {
        Input::Symbol(term) | Input::Cell(term) | Input::Array(term) => Some(term),
        Input::Func(_) => None,
    };
    let slots: Option<Vec<Term>> = pattern.slots.iter().map(|&input| term(input)).collect();
    // Functions are exchanged by nothing that a substitution could do.
    let Some(slots) = slots else {
        return;
    };
    let order = symmetry.slots.iter().map(|&slot| slots[slot as usize]);
    let exchanged = slots.iter().copied().zip(order).collect();
    let exchanged = substitute(terms, subject, &exchanged);
    for _ in 0..4 {
        let values = assignment(random, terms, &[subject, exchanged]);
        let value = eval(terms, subject, &values);
        let expected = match (&value, symmetry.is_negated) {
            (_, false) => value,
            (Value::Bool(value), true) => Value::Bool(!value),
            (Value::Bv(value), true) => Value::Bv(value.neg()),
            (Value::Int(value), true) => Value::Int(-value),
            (Value::Real(value), true) => Value::Real(-value),
            (Value::Array(_), true) => panic!("no subject"),
        };
        let told = show(terms, &[subject, exchanged]);
        assert_eq!(eval(terms, exchanged, &values), expected, "{told}");
    }
}

#[test]
fn what_a_key_says_has_that_key() {
    let mut otherwise = 0;
    for seed in 1..=sets() {
        let recipe = Recipe::random(&mut Random::new(seed));
        let mut terms = Terms::new();
        let world = World::declare(&mut terms, &mut Random::new(seed));
        let atoms = recipe.build(&mut terms, &world, None);
        let key = canonize(&terms, &atoms).key;
        let mut others = Terms::new();
        let slots = fresh_slots(&mut others, &key);
        let read = instantiate(&mut others, &key, &slots).expect("a key");
        otherwise += u64::from(canonize(&others, &read).key != key);
    }
    // Constructors find more to rewrite where an equation comes back with all its terms together: -x = 2x is x = 0.
    assert!(otherwise * 100 < sets(), "{otherwise}");
}

#[test]
fn other_constants_are_other_keys() {
    let mut changed = 0;
    for seed in 1..=1500 {
        let mut random = Random::new(seed);
        let recipe = Recipe::random(&mut random);
        let Some(mutated) = recipe.mutated(&mut random) else {
            continue;
        };
        let mut terms = Terms::new();
        let world = World::declare(&mut terms, &mut Random::new(seed));
        let atoms = recipe.build(&mut terms, &world, None);
        let others = mutated.build(&mut terms, &world, None);
        let (one, other) = (canonize(&terms, &atoms), canonize(&terms, &others));
        if one.key != other.key {
            changed += 1;
            continue;
        }
        // The same key: one set over the inputs of the other is the other.
        let read = instantiate(&mut terms, &one.key, &own_slots(&other)).expect("a key");
        for _ in 0..12 {
            let values = assignment(&mut random, &terms, &others);
            for (&read, &index) in read.iter().zip(&other.order) {
                let atom = others[index as usize];
                assert_eq!(eval(&terms, read, &values), eval(&terms, atom, &values));
            }
        }
    }
    assert!(changed > 300, "{changed}");
}

/// The keys of the same set of `n` symbols, built by `make` over many namings, which must all be one.
fn key_of(sort: Sort, n: usize, make: impl Fn(&mut Terms, &[Term]) -> Vec<Term>) -> Vec<u8> {
    let mut keys = Vec::new();
    for seed in 1..=12 {
        let mut random = Random::new(seed);
        let mut terms = Terms::new();
        let mut numbers: Vec<usize> = (0..n).collect();
        random.shuffle(&mut numbers);
        let mut symbols = vec![Term::TRUE; n];
        for number in numbers {
            let name = format!("x{}_{number}", random.below(1000));
            symbols[number] = terms.var(&name, sort);
        }
        let mut atoms = make(&mut terms, &symbols);
        random.shuffle(&mut atoms);
        let canonical = canonize(&terms, &atoms);
        check_reading(&mut random, &mut terms, &atoms, &canonical);
        keys.push(canonical.key);
    }
    keys.dedup();
    assert_eq!(keys.len(), 1);
    keys.remove(0)
}

type Compare = fn(&mut Terms, Term, Term) -> Term;

/// One atom for each edge of a graph.
fn graph(
    compare: Compare,
    edges: Vec<(usize, usize)>,
) -> impl Fn(&mut Terms, &[Term]) -> Vec<Term> {
    move |terms, x| {
        let atoms = edges.iter().map(|&(a, b)| compare(terms, x[a], x[b]));
        atoms.collect()
    }
}

fn differ(terms: &mut Terms, a: Term, b: Term) -> Term {
    let eq = terms.eq(a, b);
    terms.not(eq)
}

fn ring(n: usize) -> Vec<(usize, usize)> {
    (0..n).map(|i| (i, (i + 1) % n)).collect()
}

#[test]
fn symmetric_sets() {
    let byte = Sort::BitVec(8);
    let orders: [(Sort, Compare); 5] = [
        (byte, Terms::bv_ult),
        (byte, Terms::bv_slt),
        (Sort::Int, Terms::lt),
        (Sort::Real, Terms::le),
        (Sort::Real, differ),
    ];
    for (sort, compare) in orders {
        let mut keys: Vec<Vec<u8>> = (3..12)
            .map(|n| key_of(sort, n, graph(compare, ring(n))))
            .collect();
        keys.sort_unstable();
        keys.dedup();
        assert_eq!(keys.len(), 9);
    }
    // Two triangles and a hexagon: the colours are the same, the sets are not.
    let triangles = vec![(0, 1), (1, 2), (2, 0), (3, 4), (4, 5), (5, 3)];
    for sort in [byte, Sort::Int] {
        let hexagon = key_of(sort, 6, graph(differ, ring(6)));
        assert_ne!(key_of(sort, 6, graph(differ, triangles.clone())), hexagon);
    }
    // The Petersen graph, and a five-sided prism: both of degree three on ten inputs.
    let spokes = (0..5).map(|i| (i, i + 5));
    let outer = ring(5).into_iter().chain(spokes);
    let star = (0..5).map(|i| (5 + i, 5 + (i + 2) % 5));
    let inner = ring(5).into_iter().map(|(a, b)| (a + 5, b + 5));
    let petersen = key_of(byte, 10, graph(differ, outer.clone().chain(star).collect()));
    let prism = key_of(byte, 10, graph(differ, outer.chain(inner).collect()));
    assert_ne!(petersen, prism);
}

#[test]
fn interchangeable_inputs() {
    for n in [2, 3, 10, 40] {
        for sort in [Sort::BitVec(32), Sort::Int] {
            key_of(sort, n, |terms, x| {
                let (sum, limit) = match sort {
                    Sort::Int => (terms.sum(x), terms.int(10)),
                    _ => (terms.bv_sum(x), terms.bv(32, 10)),
                };
                vec![terms.eq(sum, limit)]
            });
        }
        // Copies of one set beside each other; many of them take more than the search may.
        key_of(Sort::Int, 2 * n.min(15), |terms, x| {
            let pairs = x.chunks(2);
            pairs.map(|pair| terms.lt(pair[0], pair[1])).collect()
        });
        key_of(Sort::BitVec(8), n, |terms, x| {
            let five = terms.bv(8, 5);
            x.iter().map(|&x| terms.bv_ult(x, five)).collect()
        });
    }
}

#[test]
fn the_published_example() {
    let key = |order: &[usize], names: [&str; 3], declared: [usize; 3]| {
        let mut terms = Terms::new();
        for at in declared {
            terms.var(names[at], Sort::Int);
        }
        let [x, y, z] = names.map(|name| terms.var(name, Sort::Int));
        // x + y < z, x = z, x + 10 > y.
        let sum = terms.add(y, x);
        let ten = terms.int(10);
        let shifted = terms.add(x, ten);
        let atoms = [terms.lt(sum, z), terms.eq(z, x), terms.lt(y, shifted)];
        let atoms: Vec<Term> = order.iter().map(|&at| atoms[at]).collect();
        canonize(&terms, &atoms).key
    };
    let first = key(&[0, 1, 2], ["x", "y", "z"], [0, 1, 2]);
    for order in [
        [0, 1, 2],
        [0, 2, 1],
        [1, 0, 2],
        [1, 2, 0],
        [2, 0, 1],
        [2, 1, 0],
    ] {
        for names in [
            ["b", "a", "c"],
            ["q", "r", "p"],
            ["z", "x", "y"],
            ["k9", "m", "a"],
        ] {
            assert_eq!(key(&order, names, order), first);
        }
    }
}

#[test]
fn cells_are_inputs_unless_their_array_is() {
    let array = Sort::Array {
        index: 32,
        element: 8,
    };
    let set = |name: &str, indices: [u64; 2], whole: Option<u64>| {
        let mut terms = Terms::new();
        let (a, b) = (terms.var(name, array), terms.var("b", array));
        let cells = indices.map(|index| {
            let index = terms.bv(32, index);
            terms.select(a, index)
        });
        let mut atoms = vec![terms.bv_ult(cells[0], cells[1])];
        if let Some(at) = whole {
            let at = terms.bv(32, at);
            let five = terms.bv(8, 5);
            let stored = terms.store(a, at, five);
            atoms.push(terms.eq(stored, b));
        }
        let canonical = canonize(&terms, &atoms);
        check_reading(&mut Random::new(3), &mut terms, &atoms, &canonical);
        canonical
    };
    let cells = set("a", [1, 2], None);
    assert_eq!(cells.slots.len(), 2);
    assert_eq!(cells.key, set("x", [70, 3], None).key);
    let mut terms = Terms::new();
    let [x, y] = ["x", "y"].map(|name| terms.var(name, Sort::BitVec(8)));
    let less = terms.bv_ult(x, y);
    assert_eq!(cells.key, canonize(&terms, &[less]).key);

    let whole = set("a", [1, 2], Some(7));
    assert_eq!(whole.slots.len(), 2);
    assert_eq!(whole.key, set("y", [1, 2], Some(7)).key);
    assert_ne!(whole.key, set("a", [1, 3], Some(7)).key);
    assert_ne!(whole.key, set("a", [1, 2], Some(8)).key);
}

#[test]
fn any_bytes() {
    let mut random = Random::new(99);
    for seed in 1..=400 {
        let recipe = Recipe::random(&mut Random::new(seed));
        let mut terms = Terms::new();
        let world = World::declare(&mut terms, &mut Random::new(seed));
        let atoms = recipe.build(&mut terms, &world, None);
        let canonical = canonize(&terms, &atoms);
        let (key, slots) = (&canonical.key, own_slots(&canonical));
        for length in 0..key.len() {
            assert_eq!(instantiate(&mut terms, &key[..length], &slots), None);
        }
        for _ in 0..200 {
            let mut bytes = key.clone();
            for _ in 0..=random.below(3) {
                let at = random.below(bytes.len() as u64) as usize;
                bytes[at] ^= 1 << random.below(8);
            }
            read_anything(&bytes, &slots, &mut terms);
        }
        for _ in 0..50 {
            let length = 2 + random.below(60);
            let mut bytes: Vec<u8> = (0..length).map(|_| random.below(40) as u8).collect();
            bytes[..2].copy_from_slice(&[1, random.below(3) as u8]);
            read_anything(&bytes, &slots, &mut terms);
        }
    }
}

fn read_anything(bytes: &[u8], slots: &[SlotTerm], terms: &mut Terms) {
    instantiate(terms, bytes, slots);
    if slot_sorts(bytes).is_some() {
        let mut own = Terms::new();
        let slots = fresh_slots(&mut own, bytes);
        instantiate(&mut own, bytes, &slots);
    }
}

/// What doubles with each node must not come to be.
#[test]
fn growing_without_bound() {
    let key = |slot: &[u8], first: &[u8], step: &[u8], last: &[u8]| {
        let mut key = vec![1, 1];
        key.extend_from_slice(slot);
        key.extend([0xe9, 0x07]); // 1001 nodes
        key.push(0);
        key.extend_from_slice(first);
        for _ in 0..998 {
            key.extend_from_slice(step);
        }
        key.extend_from_slice(last);
        key.extend([1, 0xd0, 0x0f]); // one atom, the last node
        key
    };
    let concat = key(&[1, 8], &[10, 2], &[20, 2, 2], &[8, 2, 2]);
    // 3x, and squares of squares of it.
    let square = key(
        &[3],
        &[30, 1, 2, 0, 6, 0, 0],
        &[14, 2, 2],
        &[33, 1, 2, 0, 2, 0, 0],
    );
    let sum = key(
        &[4],
        &[30, 1, 2, 1, 2, 3, 0, 0],
        // A 2^40th of the one before.
        &[30, 1, 2, 1, 2, 0x80, 0x80, 0x80, 0x80, 0x80, 0x20, 0, 0],
        &[33, 1, 2, 0, 2, 0, 0],
    );
    for key in [concat, square, sum] {
        let mut terms = Terms::new();
        let slots = fresh_slots(&mut terms, &key);
        assert_eq!(instantiate(&mut terms, &key, &slots), None);
    }
}

#[test]
fn deep_terms() {
    let mut terms = Terms::new();
    let x = terms.var("x", Sort::BitVec(32));
    let y = terms.var("y", Sort::BitVec(32));
    let b = terms.var("b", Sort::Bool);
    let (mut word, mut flag) = (x, terms.var("c", Sort::Bool));
    let mut shallow = x;
    for depth in 0..100_000 {
        word = terms.bv_udiv(y, word);
        let next = terms.bv_xor(word, x);
        let less = terms.bv_ult(next, y);
        flag = terms.ite(less, flag, b);
        if depth == 2000 {
            shallow = word;
        }
    }
    let atom = terms.bv_ult(word, x);
    let mut canonizer = Canonizer::new();
    assert_eq!(canonize_in(&mut canonizer, &terms, &[atom]), None);
    assert_eq!(canonize_in(&mut canonizer, &terms, &[flag]), None);
    let atom = terms.bv_ult(shallow, x);
    let canonical = canonize_in(&mut canonizer, &terms, &[atom]).expect("not too large");
    let read = instantiate(&mut terms, &canonical.key, &own_slots(&canonical));
    assert_eq!(read, Some(vec![atom]));
}

#[test]
fn wide_numbers() {
    let mut terms = Terms::new();
    let [x, y] = ["x", "y"].map(|name| terms.var(name, Sort::Real));
    let mut large = Rational::from(i64::MAX);
    for _ in 0..4 {
        large = &large * &large;
    }
    let fraction = &Rational::ONE / &large;
    let mut atoms = Vec::new();
    for value in [
        large.clone(),
        -large.clone(),
        fraction,
        Rational::from(i64::MIN),
    ] {
        let scaled = terms.num_scaled(&value, x);
        let constant = terms.number(Sort::Real, value);
        let product = terms.mul(y, x);
        let sum = terms.add(scaled, product);
        atoms.push(terms.lt(sum, constant));
    }
    let canonical = canonize(&terms, &atoms);
    check_reading(&mut Random::new(5), &mut terms, &atoms, &canonical);
    let read = instantiate(&mut terms, &canonical.key, &own_slots(&canonical)).expect("a key");
    let ordered: Vec<Term> = canonical
        .order
        .iter()
        .map(|&at| atoms[at as usize])
        .collect();
    assert_eq!(read, ordered);
}

/// How long a set takes whose inputs are told apart at once: run with `--release -- --ignored --nocapture speed`.
#[test]
#[ignore = "a measurement"]
fn speed() {
    let array = Sort::Array {
        index: 32,
        element: 8,
    };
    let mut terms = Terms::new();
    let bytes = terms.var("input", array);
    let words: Vec<Term> = (0..14)
        .map(|word| {
            let cell = |terms: &mut Terms, at: u64| {
                let at = terms.bv(32, word * 4 + at);
                terms.select(bytes, at)
            };
            let parts = [0, 1, 2, 3].map(|at| cell(&mut terms, at));
            let high = terms.concat(parts[3], parts[2]);
            let low = terms.concat(parts[1], parts[0]);
            terms.concat(high, low)
        })
        .collect();
    let mut atoms = Vec::new();
    for (at, pair) in words.windows(2).enumerate() {
        let constant = terms.bv(32, 1000 + 77 * at as u64);
        let product = terms.bv_mul(pair[0], pair[1]);
        let sum = terms.bv_sum(&[product, constant, pair[1]]);
        atoms.push(terms.bv_ult(sum, pair[0]));
        if at % 2 == 0 {
            let limit = terms.bv(32, 50_000 + at as u64);
            atoms.push(terms.bv_slt(pair[0], limit));
        }
    }
    let nodes = refrain_term::reachable(&terms, &atoms).len();
    let mut support = Support::new();
    let inputs: Vec<Inputs> = atoms.iter().map(|&a| support.inputs(&terms, a)).collect();
    let list: Vec<(Term, &Inputs)> = atoms.iter().copied().zip(&inputs).collect();
    measure("words of bytes", &terms, &list, nodes);

    let mut terms = Terms::new();
    let x: Vec<Term> = (0..12)
        .map(|at| terms.var(&format!("x{at}"), Sort::BitVec(32)))
        .collect();
    let mut atoms = Vec::new();
    for at in 0..20 {
        let (a, b) = (x[at % 12], x[(at * 5 + 1) % 12]);
        let constant = terms.bv(32, 3 + at as u64);
        let product = terms.bv_mul(a, b);
        let sum = terms.bv_add(product, constant);
        let mixed = terms.bv_xor(sum, a);
        let shifted = terms.bv_lshr(mixed, b);
        let other = terms.bv_sub(b, a);
        let rest = terms.bv_urem(other, constant);
        let masked = terms.bv_or(rest, shifted);
        let doubled = terms.bv_add(masked, a);
        atoms.push(terms.bv_ult(shifted, doubled));
    }
    let nodes = refrain_term::reachable(&terms, &atoms).len();
    let inputs: Vec<Inputs> = atoms.iter().map(|&a| support_of(&terms, a)).collect();
    let list: Vec<(Term, &Inputs)> = atoms.iter().copied().zip(&inputs).collect();
    measure("words", &terms, &list, nodes);

    let mut terms = Terms::new();
    let x: Vec<Term> = (0..10)
        .map(|at| terms.var(&format!("i{at}"), Sort::Int))
        .collect();
    let mut atoms = Vec::new();
    for at in 0..20 {
        let (a, b) = (x[at % 10], x[(at * 3 + 1) % 10]);
        let scaled = terms.num_scaled(&Rational::from(at as i64 / 4 + 2), b);
        let sum = terms.sub(a, scaled);
        let limit = terms.int(at as i64 * at as i64);
        atoms.push(terms.le(sum, limit));
    }
    let nodes = refrain_term::reachable(&terms, &atoms).len();
    let inputs: Vec<Inputs> = atoms.iter().map(|&a| support_of(&terms, a)).collect();
    let list: Vec<(Term, &Inputs)> = atoms.iter().copied().zip(&inputs).collect();
    measure("integers", &terms, &list, nodes);

    let mut terms = Terms::new();
    let atoms: Vec<Term> = (0..20)
        .map(|at| {
            let x = terms.var(&format!("x{at}"), Sort::BitVec(8));
            let limit = terms.bv(8, 5);
            terms.bv_ult(x, limit)
        })
        .collect();
    let nodes = refrain_term::reachable(&terms, &atoms).len();
    let inputs: Vec<Inputs> = atoms.iter().map(|&a| support_of(&terms, a)).collect();
    let list: Vec<(Term, &Inputs)> = atoms.iter().copied().zip(&inputs).collect();
    measure("twenty that are alike", &terms, &list, nodes);

    let mut terms = Terms::new();
    let x: Vec<Term> = (0..2000)
        .map(|at| terms.var(&format!("x{at}"), Sort::BitVec(8)))
        .collect();
    for n in [20, 200, 2000] {
        let ring: Vec<Term> = (0..n)
            .map(|at| terms.bv_ult(x[at], x[(at + 1) % n]))
            .collect();
        let pairs: Vec<Term> = x[..n]
            .chunks(2)
            .map(|pair| terms.bv_ult(pair[0], pair[1]))
            .collect();
        for (what, atoms) in [("a ring", ring), ("pairs", pairs)] {
            let nodes = refrain_term::reachable(&terms, &atoms).len();
            let inputs: Vec<Inputs> = atoms.iter().map(|&a| support_of(&terms, a)).collect();
            let list: Vec<(Term, &Inputs)> = atoms.iter().copied().zip(&inputs).collect();
            measure(what, &terms, &list, nodes);
        }
    }
}

fn support_of(terms: &Terms, atom: Term) -> Inputs {
    Support::new().inputs(terms, atom)
}

fn measure(what: &str, terms: &Terms, atoms: &[(Term, &Inputs)], nodes: usize) {
    let mut canonizer = Canonizer::new();
    let key = canonizer.canonize(terms, atoms).expect("a small set").key;
    let rounds = if atoms.len() > 50 { 10 } else { 2000 };
    let start = std::time::Instant::now();
    for _ in 0..rounds {
        let canonical = canonizer.canonize(terms, atoms).expect("a small set");
        assert_eq!(canonical.key.len(), key.len());
    }
    println!(
        "{what}: {} atoms, {nodes} nodes, {} bytes: {:?}",
        atoms.len(),
        key.len(),
        start.elapsed() / rounds
    );
}
