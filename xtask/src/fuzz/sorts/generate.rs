//! Random scripts over sorts of all kinds. Few names of each sort, and formulas that share them, so that about half of
//! the checks are unsat.

use super::Family;
use super::script::{ALIAS, Command, Script, Signature};
use super::tree::{Node, Shape, Sort};
use crate::random::Rng;
use std::fmt::Write;

#[derive(Clone)]
pub struct Constructor {
    pub name: String,
    pub fields: Vec<(String, Sort)>,
}

#[derive(Clone)]
pub struct Datatype {
    pub sort: Sort,
    pub constructors: Vec<Constructor>,
}

pub struct Generator {
    pub rng: Rng,
    pub family: Family,
    commands: Vec<Command>,
    /// The sorts that terms are made of.
    pool: Vec<Sort>,
    pub datatypes: Vec<Datatype>,
    /// What is declared: symbols have no arguments.
    pub known: Vec<Signature>,
    /// What `let`, `match`, quantifiers and definitions bind here, innermost last.
    bound: Vec<(String, Sort)>,
    names: usize,
    /// Whether symbols may be declared as they are needed.
    may_declare: bool,
    quantifiers: u32,
    /// Whether arrays of bit-vectors are elements, indices and arguments: that has to be seen at the beginning.
    arrays_within: bool,
}

/// The script of a number, and what it is about.
pub fn script(family: Family, seed: u64, number: u64) -> (Family, Script) {
    let mut rng = Rng::for_script(seed ^ 0x736f_7274, number);
    let family = match family {
        Family::All => *rng.pick(&Family::EACH),
        family => family,
    };
    let mut generator = Generator {
        rng,
        family,
        commands: Vec::new(),
        pool: Vec::new(),
        datatypes: Vec::new(),
        known: Vec::new(),
        bound: Vec::new(),
        names: 0,
        may_declare: true,
        quantifiers: 0,
        arrays_within: false,
    };
    generator.arrays_within = generator.rng.percent(50);
    if generator.arrays_within {
        let bits = Sort::Bv(1);
        let arrays = Sort::array(bits.clone(), bits);
        generator.declare(vec![arrays], Sort::Bool);
    }
    // What is declared on a level is forgotten with it: the second part uses the same names for other things.
    let parts = if generator.rng.percent(15) { 2 } else { 1 };
    for _ in 0..parts {
        if parts == 2 {
            generator.commands.push(Command::Push);
        }
        generator.part();
        if parts == 2 {
            generator.commands.push(Command::Pop);
        }
    }
    let script = Script {
        commands: generator.commands,
    };
    (family, script)
}

impl Generator {
    fn part(&mut self) {
        self.pool.clear();
        self.datatypes.clear();
        self.known.clear();
        // The first is what is declared before all parts.
        self.names = 1;
        self.choose_sorts();
        self.declare_functions();
        let mut levels = Vec::new();
        for _ in 0..self.rng.between(0, 3) {
            self.assert();
        }
        for _ in 0..self.rng.between(3, 9) {
            match self.rng.weighted(&[50, 14, 8, 8, 10, 10]) {
                0 => self.excursion(),
                1 => self.assert(),
                2 if levels.len() < 3 => {
                    levels.push(self.known.len());
                    self.commands.push(Command::Push);
                    self.assert();
                }
                3 if !levels.is_empty() => {
                    self.known.truncate(levels.pop().unwrap_or_default());
                    self.commands.push(Command::Pop);
                }
                4 => self.define(),
                _ => self.check(),
            }
        }
        self.check();
        for _ in levels {
            self.commands.push(Command::Pop);
        }
    }

    /// A few assertions on a level of their own: what makes them unsat is gone after it.
    fn excursion(&mut self) {
        let known = self.known.len();
        self.commands.push(Command::Push);
        if self.rng.percent(25) {
            let law = self.law().not();
            self.commands.push(Command::Assert(law, None));
        }
        for _ in 0..self.rng.between(1, 4) {
            self.assert();
        }
        self.check();
        if self.rng.percent(30) {
            self.assert();
            self.check();
        }
        self.known.truncate(known);
        self.commands.push(Command::Pop);
    }

    fn choose_sorts(&mut self) {
        use Sort::*;
        let mut text = Vec::new();
        text.push(ALIAS.to_string());
        let free = |name: &str| Free(name.to_string());
        let width = self.rng.between(1, 4);
        match self.family {
            Family::Uf => {
                text.push("(declare-sort S 0)\n(declare-sort T 0)\n(declare-sort P 1)".to_string());
                self.pool.extend([free("S"), free("S"), free("T"), Bool]);
                self.pool
                    .extend([free("(P S)"), free("(P Int)"), Int, Bv(width)]);
                let keep = self.rng.between(3, 6) as usize;
                self.thin(keep);
            }
            Family::Arrays => {
                text.push("(declare-sort S 0)".to_string());
                if self.rng.percent(30) {
                    text.push(self.datatype(0, &[Bool, Int]));
                }
                self.pool
                    .extend([Bool, Int, Int, Real, Bv(width), free("S"), free("S")]);
                let data = self.datatypes.iter().map(|datatype| datatype.sort.clone());
                self.pool.extend(data);
                let keep = self.rng.between(2, 4) as usize;
                self.thin(keep);
                for _ in 0..self.rng.between(1, 3) {
                    self.add_arrays();
                }
            }
            Family::Mixed => self.pool.extend([Int, Real, Int, Real, Bool]),
            Family::Conversions => {
                let other = self.rng.between(1, 5);
                self.pool.extend([Int, Bv(width), Bv(other), Bool, Int]);
            }
            Family::Datatypes => {
                text.push("(declare-sort S 0)".to_string());
                let mut fields = vec![Bool, Int, Bv(width), free("S"), Real];
                fields.push(Sort::array(Int, Bool));
                if self.arrays_within {
                    fields.push(Sort::array(Bv(width), Bv(width)));
                }
                for place in 0..self.rng.between(1, 3) as usize {
                    text.push(self.datatype(place, &fields));
                    let sort = self.datatypes[place].sort.clone();
                    fields.push(sort.clone());
                    if self.rng.percent(15) {
                        fields.push(Sort::array(sort.clone(), Bool));
                        fields.push(Sort::array(Int, sort));
                    }
                }
                self.pool = fields;
                let keep = self.rng.between(2, 5) as usize;
                self.thin(keep);
                let data = self.datatypes.iter().map(|datatype| datatype.sort.clone());
                self.pool.extend(data);
            }
            Family::Quantified => {
                self.pool.extend([Bool, Int, Int, Bv(width.min(3))]);
                if self.rng.percent(20) {
                    text.push("(declare-sort S 0)".to_string());
                    self.pool.push(free("S"));
                }
                if self.rng.percent(30) {
                    // Some have few elements.
                    let held = if self.rng.percent(50) { Int } else { Bv(1) };
                    text.push(self.datatype(0, &[Bool, held]));
                    self.pool.push(self.datatypes[0].sort.clone());
                }
                if self.rng.percent(40) {
                    self.add_arrays();
                }
            }
            Family::All => unreachable!("one of the others was drawn"),
        }
        self.commands.push(Command::Sorts(text.join("\n")));
        // Sorts that scripts declare have no literals: terms need a symbol.
        for sort in self.pool.clone() {
            if matches!(sort, Free(_)) {
                self.declare(vec![], sort);
            }
        }
    }

    /// Arrays of sorts that are there.
    fn add_arrays(&mut self) {
        let index = self.rng.pick(&self.pool).clone();
        let element = self.rng.pick(&self.pool).clone();
        let is_array = |sort: &Sort| matches!(sort, Sort::Array(..));
        let is_deep = is_array(&index) && is_array(&element);
        let is_refused = [&index, &element]
            .iter()
            .any(|sort| self.is_not_within(sort));
        if !is_deep && !is_refused {
            self.pool.push(Sort::array(index, element));
        }
    }

    /// Arrays of bit-vectors where they are not elements, indices and arguments.
    fn is_not_within(&self, sort: &Sort) -> bool {
        let is_bits = |sort: &Sort| matches!(sort, Sort::Bv(_));
        match sort {
            Sort::Array(index, element) => {
                !self.arrays_within && is_bits(index) && is_bits(element)
            }
            _ => false,
        }
    }

    /// Keeps so many of the sorts, of those without literals as well.
    fn thin(&mut self, keep: usize) {
        while self.pool.len() > keep {
            let place = self.rng.below(self.pool.len());
            self.pool.swap_remove(place);
        }
    }

    /// Makes a datatype whose fields are of these sorts; its declaration.
    fn datatype(&mut self, place: usize, fields: &[Sort]) -> String {
        let name = format!("D{place}");
        let mut constructors = Vec::new();
        let is_enumeration = self.rng.percent(30);
        for which in 0..self.rng.between(1, 4) {
            let mut constructor = Constructor {
                name: format!("k{place}_{which}"),
                fields: Vec::new(),
            };
            let most = if is_enumeration { 0 } else { 3 };
            for field in 0..self.rng.between(0, most) {
                let sort = self.rng.pick(fields).clone();
                let name = format!("sel{place}_{which}_{field}");
                constructor.fields.push((name, sort));
            }
            constructors.push(constructor);
        }
        let mut text = format!("(declare-datatypes (({name} 0)) ((");
        for constructor in &constructors {
            let _ = write!(text, "({}", constructor.name);
            for (field, sort) in &constructor.fields {
                let _ = write!(text, " ({field} {sort})");
            }
            text.push(')');
        }
        text.push_str(")))");
        self.datatypes.push(Datatype {
            sort: Sort::Data(place, name),
            constructors,
        });
        text
    }

    fn declare_functions(&mut self) {
        let most = if self.family == Family::Uf { 4 } else { 2 };
        for _ in 0..self.rng.between(u32::from(most == 4), most) {
            let args: Vec<Sort> = (0..self.rng.between(1, 2))
                .map(|_| self.rng.pick(&self.pool).clone())
                .collect();
            let result = self.rng.pick(&self.pool).clone();
            let is_refused = |sort: &Sort| self.is_not_within(sort);
            let is_refused = args.iter().any(is_refused) || is_refused(&result);
            if !is_refused {
                self.declare(args, result);
            }
        }
    }

    fn name(&mut self, prefix: &str) -> String {
        self.names += 1;
        format!("{prefix}{}", self.names)
    }

    fn declare(&mut self, args: Vec<Sort>, result: Sort) -> usize {
        let name = self.name(if args.is_empty() { "c" } else { "f" });
        let signature = Signature {
            name,
            args,
            result,
            aliased: self.rng.percent(20),
        };
        self.commands.push(Command::Declare(signature.clone()));
        self.known.push(signature);
        self.known.len() - 1
    }

    fn define(&mut self) {
        let mut parameters = Vec::new();
        for _ in 0..self.rng.between(0, 2) {
            let sort = self.rng.pick(&self.pool).clone();
            parameters.push((self.name("p"), sort));
        }
        let sort = self.rng.pick(&self.pool).clone();
        self.bound.clone_from(&parameters);
        let body = self.term(&sort, 2);
        self.bound.clear();
        let name = self.name("m");
        self.known.push(Signature {
            name: name.clone(),
            args: parameters.iter().map(|(_, sort)| sort.clone()).collect(),
            result: sort,
            aliased: false,
        });
        self.commands.push(Command::Define(name, parameters, body));
    }

    fn assert(&mut self) {
        let depth = self.rng.between(1, 3);
        let formula = match self.rng.percent(3) {
            true => self.law(),
            false => self.term(&Sort::Bool, depth),
        };
        let name = self.rng.percent(35).then(|| self.name("n"));
        self.commands.push(Command::Assert(formula, name));
    }

    fn check(&mut self) {
        let mut assumed = Vec::new();
        if self.rng.percent(25) {
            for _ in 0..self.rng.between(1, 3) {
                let literal = self.symbol(&Sort::Bool);
                let flipped = self.rng.percent(50);
                assumed.push(if flipped { literal.not() } else { literal });
            }
        }
        let values = self.values();
        self.commands.push(Command::Check(assumed, values));
    }

    fn values(&mut self) -> Vec<Node> {
        self.may_declare = false;
        let values = (0..self.rng.between(0, 3))
            .map(|_| {
                let sort = self.rng.pick(&self.pool).clone();
                let depth = self.rng.between(0, 2);
                self.term(&sort, depth)
            })
            .collect();
        self.may_declare = true;
        values
    }

    pub fn some_sort(&mut self) -> Sort {
        self.rng.pick(&self.pool).clone()
    }

    /// A sort of the pool that fits.
    pub fn sort_where(&mut self, fits: impl Fn(&Sort) -> bool) -> Option<Sort> {
        let fitting: Vec<Sort> = self
            .pool
            .iter()
            .filter(|sort| fits(sort))
            .cloned()
            .collect();
        (!fitting.is_empty()).then(|| self.rng.pick(&fitting).clone())
    }

    /// What a name means here, unless something inner has taken it.
    fn visible(&self, sort: &Sort) -> Vec<String> {
        let mut names = Vec::new();
        let mut taken: Vec<&str> = Vec::new();
        for (name, of) in self.bound.iter().rev() {
            if !taken.contains(&name.as_str()) {
                taken.push(name);
                if of == sort {
                    // Bound names are what a binder is about.
                    names.extend([name.clone(), name.clone()]);
                }
            }
        }
        for signature in &self.known {
            let fits = signature.args.is_empty() && signature.result == *sort;
            if fits && !taken.contains(&signature.name.as_str()) {
                names.push(signature.name.clone());
            }
        }
        names
    }

    /// A name of this sort; a new one if there are few.
    pub fn symbol(&mut self, sort: &Sort) -> Node {
        let names = self.visible(sort);
        let declares = match names.len() {
            0 => true,
            1..3 => self.rng.percent(30),
            _ => self.rng.percent(3),
        };
        if declares && self.may_declare {
            let place = self.declare(vec![], sort.clone());
            let name = self.known[place].name.clone();
            // Should a binder have taken the name, it does not mean this here.
            if !self.bound.iter().any(|(taken, _)| *taken == name) {
                return Node::leaf(sort.clone(), name);
            }
        }
        match names.is_empty() {
            true => self.literal(sort),
            false => Node::leaf(sort.clone(), self.rng.pick(&names).clone()),
        }
    }

    pub fn number(&mut self, sort: &Sort) -> Node {
        let number = self.rng.below(9) as i64 - 3;
        let text = match sort {
            Sort::Int if number < 0 => format!("(- {})", -number),
            Sort::Int => number.to_string(),
            _ => {
                let half = if self.rng.percent(30) { 5 } else { 0 };
                match (number, self.rng.below(12)) {
                    (0, 0..4) => "(/ 1.0 3.0)".to_string(),
                    (..0, _) => format!("(- {}.{half})", -number),
                    _ => format!("{number}.{half}"),
                }
            }
        };
        Node::leaf(sort.clone(), text)
    }

    /// A value, or what comes close to one.
    pub fn literal(&mut self, sort: &Sort) -> Node {
        match sort {
            Sort::Bool => {
                let text = if self.rng.percent(50) {
                    "true"
                } else {
                    "false"
                };
                Node::leaf(Sort::Bool, text)
            }
            Sort::Int | Sort::Real => self.number(sort),
            Sort::Bv(width) => {
                let bits = self.rng.next() & ((1 << width) - 1);
                let width = *width as usize;
                Node::leaf(sort.clone(), format!("#b{bits:0width$b}"))
            }
            Sort::Free(_) => {
                // One is declared where the part begins; binders may have taken its name.
                let mut known = self.known.iter();
                let first = known.find(|known| known.args.is_empty() && known.result == *sort);
                Node::leaf(sort.clone(), first.map_or("none", |known| &known.name))
            }
            Sort::Data(place, _) => {
                let constructors = &self.datatypes[*place].constructors;
                let constructor = self.rng.pick(constructors).clone();
                self.constructed(sort, &constructor, 0)
            }
            Sort::Array(_, element) => {
                let element = self.literal(element);
                Node::new(sort.clone(), format!("(as const {sort})"), [element])
            }
        }
    }

    fn constructed(&mut self, sort: &Sort, constructor: &Constructor, depth: u32) -> Node {
        let mut args = Vec::new();
        for (_, of) in &constructor.fields {
            args.push(self.term(of, depth));
        }
        Node::new(sort.clone(), constructor.name.clone(), args)
    }

    pub fn term(&mut self, sort: &Sort, depth: u32) -> Node {
        let has_literals = !matches!(sort, Sort::Free(_));
        if depth == 0 || self.rng.percent(10) {
            let literal = has_literals && self.rng.percent(25);
            return if literal {
                self.literal(sort)
            } else {
                self.symbol(sort)
            };
        }
        let depth = depth - 1;
        match self.rng.below(100) {
            0..7 => {
                let args = [
                    self.term(&Sort::Bool, depth),
                    self.term(sort, depth),
                    self.term(sort, depth),
                ];
                return Node::new(sort.clone(), "ite", args);
            }
            7..11 => return self.let_in(sort, depth),
            11..36 => {
                if let Some(node) = self.application(sort, depth) {
                    return node;
                }
            }
            36..54 => {
                if let Some(node) = self.taken_out(sort, depth) {
                    return node;
                }
            }
            54..57 => {
                if let Some(node) = self.matched(sort, depth) {
                    return node;
                }
            }
            _ => {}
        }
        match sort {
            Sort::Bool => self.formula(depth),
            Sort::Int => self.integer(depth),
            Sort::Real => self.real(depth),
            Sort::Bv(width) => self.bits(*width, depth),
            Sort::Free(_) => self.symbol(sort),
            Sort::Data(place, _) => {
                let constructor = self.rng.pick(&self.datatypes[*place].constructors).clone();
                self.constructed(sort, &constructor, depth)
            }
            Sort::Array(index, element) => match self.rng.below(100) {
                0..60 => {
                    let args = [
                        self.term(sort, depth),
                        self.term(index, depth),
                        self.term(element, depth),
                    ];
                    Node::new(sort.clone(), "store", args)
                }
                60..75 => {
                    let head = format!("(as const {sort})");
                    let element = match self.rng.percent(60) {
                        true => self.literal(element),
                        false => self.term(element, depth),
                    };
                    Node::new(sort.clone(), head, [element])
                }
                _ => self.symbol(sort),
            },
        }
    }

    /// A bound name: sometimes one that means something else outside.
    fn binder(&mut self) -> String {
        if self.rng.percent(10) && !self.known.is_empty() {
            let known = self.rng.pick(&self.known).clone();
            // A function of that name could not be applied inside, and symbols of declared sorts are needed everywhere.
            if known.args.is_empty() && !matches!(known.result, Sort::Free(_)) {
                return known.name;
            }
        }
        self.name("b")
    }

    fn let_in(&mut self, sort: &Sort, depth: u32) -> Node {
        let of = self.some_sort();
        let value = self.term(&of, depth);
        let name = self.binder();
        self.bound.push((name.clone(), of));
        let body = self.term(sort, depth);
        self.bound.pop();
        Node {
            sort: sort.clone(),
            shape: Shape::Let(name),
            args: vec![value, body],
        }
    }

    pub fn application(&mut self, sort: &Sort, depth: u32) -> Option<Node> {
        let fits = |known: &&Signature| !known.args.is_empty() && known.result == *sort;
        let functions: Vec<Signature> = self.known.iter().filter(fits).cloned().collect();
        let function = (!functions.is_empty()).then(|| self.rng.pick(&functions).clone())?;
        let args: Vec<Node> = function
            .args
            .iter()
            .map(|sort| self.term(sort, depth))
            .collect();
        Some(Node::new(sort.clone(), function.name, args))
    }

    /// What an array or a record holds.
    fn taken_out(&mut self, sort: &Sort, depth: u32) -> Option<Node> {
        let mut fields = Vec::new();
        for datatype in &self.datatypes {
            for constructor in &datatype.constructors {
                for (name, of) in &constructor.fields {
                    if of == sort {
                        fields.push((datatype.sort.clone(), name.clone()));
                    }
                }
            }
        }
        let arrays = self.sort_where(|array| match array {
            Sort::Array(_, element) => **element == *sort,
            _ => false,
        });
        let from_field = !fields.is_empty() && (arrays.is_none() || self.rng.percent(50));
        if from_field {
            let (of, name) = self.rng.pick(&fields).clone();
            let from = self.term(&of, depth);
            return Some(Node::new(sort.clone(), name, [from]));
        }
        let arrays = arrays?;
        let Sort::Array(index, _) = &arrays else {
            return None;
        };
        let args = [self.term(&arrays, depth), self.term(index, depth)];
        Some(Node::new(sort.clone(), "select", args))
    }

    fn matched(&mut self, sort: &Sort, depth: u32) -> Option<Node> {
        if self.datatypes.is_empty() {
            return None;
        }
        let datatype = self.rng.pick(&self.datatypes).clone();
        let mut args = vec![self.term(&datatype.sort, depth)];
        let mut patterns = Vec::new();
        let mut constructors = datatype.constructors.clone();
        let first = self.rng.below(constructors.len());
        constructors.rotate_left(first);
        let before = self.bound.len();
        let last = constructors.len() - 1;
        for (place, constructor) in constructors.iter().enumerate() {
            let takes_the_rest =
                place > 0 && self.rng.percent(15) || place == last && self.rng.percent(10);
            if takes_the_rest {
                let name = self.name("b");
                self.bound.push((name.clone(), datatype.sort.clone()));
                patterns.push(name);
            } else {
                let mut pattern = constructor.name.clone();
                for (_, of) in &constructor.fields {
                    let name = self.name("b");
                    let _ = write!(pattern, " {name}");
                    self.bound.push((name, of.clone()));
                }
                let is_constant = constructor.fields.is_empty();
                patterns.push(if is_constant {
                    pattern
                } else {
                    format!("({pattern})")
                });
            }
            args.push(self.term(sort, depth));
            self.bound.truncate(before);
            if takes_the_rest {
                break;
            }
        }
        Some(Node {
            sort: sort.clone(),
            shape: Shape::Match(patterns),
            args,
        })
    }

    fn formula(&mut self, depth: u32) -> Node {
        let quantifies = match self.family {
            Family::Quantified => self.quantifiers < 3 && self.rng.percent(35),
            _ => self.quantifiers < 1 && self.rng.percent(1),
        };
        if quantifies {
            return self.quantified(depth);
        }
        match self.rng.below(100) {
            0..35 => {
                let sort = self.some_sort();
                let args = [self.term(&sort, depth), self.term(&sort, depth)];
                Node::bool("=", args)
            }
            35..45 => {
                let sort = self.some_sort();
                let count = self.rng.between(2, 4);
                let args: Vec<Node> = (0..count).map(|_| self.term(&sort, depth)).collect();
                Node::bool(
                    if self.rng.percent(85) {
                        "distinct"
                    } else {
                        "="
                    },
                    args,
                )
            }
            45..58 => self.compared(depth),
            58..64 => self.tested(depth),
            64..74 => self.term(&Sort::Bool, depth).not(),
            _ => {
                let head = *self.rng.pick(&["and", "or", "or", "=>", "xor", "and"]);
                let count = if head == "xor" {
                    2
                } else {
                    self.rng.between(2, 3)
                };
                let args: Vec<Node> = (0..count).map(|_| self.term(&Sort::Bool, depth)).collect();
                Node::bool(head, args)
            }
        }
    }

    fn compared(&mut self, depth: u32) -> Node {
        let is_compared = |sort: &Sort| matches!(sort, Sort::Int | Sort::Real | Sort::Bv(_));
        let Some(sort) = self.sort_where(is_compared) else {
            return self.symbol(&Sort::Bool);
        };
        if sort == Sort::Real && self.rng.percent(15) {
            let arg = self.term(&sort, depth);
            return Node::bool("is_int", [arg]);
        }
        let heads: &[&str] = match sort {
            Sort::Bv(_) => &["bvult", "bvule", "bvslt", "bvsge", "bvugt"],
            _ => &["<", "<=", ">", ">="],
        };
        let head = *self.rng.pick(heads);
        let args = [self.term(&sort, depth), self.term(&sort, depth)];
        Node::bool(head, args)
    }

    fn tested(&mut self, depth: u32) -> Node {
        if self.datatypes.is_empty() {
            return self.compared(depth);
        }
        let datatype = self.rng.pick(&self.datatypes).clone();
        let constructor = self.rng.pick(&datatype.constructors).name.clone();
        let arg = self.term(&datatype.sort, depth);
        Node::bool(format!("(_ is {constructor})"), [arg])
    }

    /// A quantifier over few values, mostly.
    pub fn quantified(&mut self, depth: u32) -> Node {
        self.quantifiers += 1;
        let universal = self.rng.percent(50);
        let before = self.bound.len();
        let mut vars = String::new();
        let mut guards = Vec::new();
        for _ in 0..self.rng.between(1, 2) {
            let sort = match self.rng.below(100) {
                0..30 => Sort::Bool,
                30..60 => {
                    let width = self.sort_where(|sort| matches!(sort, Sort::Bv(_)));
                    width.unwrap_or(Sort::Bv(2))
                }
                60..80 => Sort::Int,
                80..95 => {
                    let data = { self.datatypes.first() }.map(|datatype| datatype.sort.clone());
                    data.unwrap_or(Sort::Int)
                }
                _ => self.some_sort(),
            };
            let name = self.binder();
            if self.bound[before..].iter().any(|(other, _)| *other == name) {
                continue;
            }
            let _ = write!(vars, "({name} {sort})");
            let var = Node::leaf(sort.clone(), name.clone());
            if sort == Sort::Int && self.rng.percent(95) {
                let low = self.rng.below(5) as i64 - 2;
                let high = low + self.rng.below(5) as i64;
                let number = |value: i64| match value {
                    ..0 => Node::leaf(Sort::Int, format!("(- {})", -value)),
                    _ => Node::leaf(Sort::Int, value.to_string()),
                };
                guards.push(match self.rng.below(3) {
                    0 => Node::bool("<=", [number(low), var, number(high)]),
                    1 => {
                        let above = Node::bool(">", [var.clone(), number(low - 1)]);
                        Node::bool("and", [above, Node::bool("<", [var, number(high)])])
                    }
                    _ => {
                        let above = Node::bool("<=", [number(low), var.clone()]);
                        Node::bool("and", [above, Node::bool("<=", [var, number(high)])])
                    }
                });
            }
            self.bound.push((name, sort));
        }
        // Symbols that are declared within cannot mean what is bound.
        let body = self.term(&Sort::Bool, depth.max(1));
        self.bound.truncate(before);
        self.quantifiers -= 1;
        let body = match (guards.is_empty(), universal) {
            (true, _) => body,
            (false, true) => {
                let guard = conjunction(guards);
                Node::bool("=>", [guard, body])
            }
            (false, false) => {
                guards.push(body);
                conjunction(guards)
            }
        };
        let head = if universal { "forall" } else { "exists" };
        Node {
            sort: Sort::Bool,
            shape: Shape::Quantifier(format!("{head} ({vars})")),
            args: vec![body],
        }
    }

    fn integer(&mut self, depth: u32) -> Node {
        let new = |head: &str, args: Vec<Node>| Node::new(Sort::Int, head, args);
        match self.rng.below(100) {
            0..30 => {
                let from_real = self.family == Family::Mixed || self.rng.percent(10);
                let from_bits = self.family == Family::Conversions || self.rng.percent(15);
                let has_reals = self.sort_where(|sort| *sort == Sort::Real).is_some();
                let width = self.sort_where(|sort| matches!(sort, Sort::Bv(_)));
                if from_real && has_reals {
                    let arg = self.term(&Sort::Real, depth);
                    return new("to_int", vec![arg]);
                }
                if from_bits && let Some(sort) = width {
                    let head = *self.rng.pick(&["bv2nat", "ubv_to_int", "sbv_to_int"]);
                    let arg = self.term(&sort, depth);
                    return new(head, vec![arg]);
                }
                self.symbol(&Sort::Int)
            }
            30..65 => {
                let head = if self.rng.percent(60) { "+" } else { "-" };
                let args = vec![self.term(&Sort::Int, depth), self.term(&Sort::Int, depth)];
                new(head, args)
            }
            65..73 => {
                let args = vec![self.number(&Sort::Int), self.term(&Sort::Int, depth)];
                new("*", args)
            }
            73..81 => {
                let head = if self.rng.percent(50) { "div" } else { "mod" };
                let by = *self.rng.pick(&["2", "3", "2", "4", "(- 2)", "1", "5"]);
                let by = if self.rng.percent(3) { "0" } else { by };
                let arg = self.term(&Sort::Int, depth);
                new(head, vec![arg, Node::leaf(Sort::Int, by)])
            }
            81..84 => {
                let arg = self.term(&Sort::Int, depth);
                new("abs", vec![arg])
            }
            84..88 => {
                let arg = self.term(&Sort::Int, depth);
                new("-", vec![arg])
            }
            88 if self.rng.percent(30) => {
                let args = vec![self.term(&Sort::Int, depth), self.term(&Sort::Int, depth)];
                new("*", args)
            }
            _ => self.symbol(&Sort::Int),
        }
    }

    fn real(&mut self, depth: u32) -> Node {
        let new = |head: &str, args: Vec<Node>| Node::new(Sort::Real, head, args);
        let has_integers = self.sort_where(|sort| *sort == Sort::Int).is_some();
        match self.rng.below(100) {
            0..30 if has_integers => {
                let arg = self.term(&Sort::Int, depth);
                new("to_real", vec![arg])
            }
            0..60 => {
                let head = if self.rng.percent(60) { "+" } else { "-" };
                let args = vec![self.term(&Sort::Real, depth), self.term(&Sort::Real, depth)];
                new(head, args)
            }
            60..70 => {
                let args = vec![self.number(&Sort::Real), self.term(&Sort::Real, depth)];
                new("*", args)
            }
            70..78 => {
                let by = *self.rng.pick(&["2.0", "3.0", "(- 2.0)", "0.5", "1.5"]);
                let arg = self.term(&Sort::Real, depth);
                new("/", vec![arg, Node::leaf(Sort::Real, by)])
            }
            _ => self.symbol(&Sort::Real),
        }
    }

    fn bits(&mut self, width: u32, depth: u32) -> Node {
        let sort = Sort::Bv(width);
        let converts = self.family == Family::Conversions || self.rng.percent(15);
        let has_integers = self.sort_where(|sort| *sort == Sort::Int).is_some();
        match self.rng.below(100) {
            0..25 if converts && has_integers => {
                let head = *self.rng.pick(&["int2bv", "int_to_bv"]);
                let arg = self.term(&Sort::Int, depth);
                Node::new(sort, format!("(_ {head} {width})"), [arg])
            }
            0..60 => {
                let head = *self.rng.pick(&[
                    "bvadd", "bvsub", "bvmul", "bvand", "bvor", "bvxor", "bvshl", "bvlshr",
                    "bvudiv", "bvurem",
                ]);
                let args = [self.term(&sort, depth), self.term(&sort, depth)];
                Node::new(sort, head, args)
            }
            60..70 => {
                let head = if self.rng.percent(50) {
                    "bvnot"
                } else {
                    "bvneg"
                };
                let arg = self.term(&sort, depth);
                Node::new(sort, head, [arg])
            }
            70..80 => {
                let more = self.rng.between(1, 2);
                let wider = Sort::Bv(width + more);
                let low = self.rng.between(0, more);
                let arg = match self.sort_where(|known| *known == wider) {
                    Some(_) => self.term(&wider, depth),
                    None => {
                        let arg = self.term(&sort, depth);
                        let head = if self.rng.percent(50) {
                            "sign_extend"
                        } else {
                            "zero_extend"
                        };
                        Node::new(wider, format!("(_ {head} {more})"), [arg])
                    }
                };
                Node::new(
                    sort,
                    format!("(_ extract {} {low})", low + width - 1),
                    [arg],
                )
            }
            _ => self.symbol(&sort),
        }
    }
}

pub fn conjunction(mut parts: Vec<Node>) -> Node {
    match parts.len() {
        1 => parts.swap_remove(0),
        _ => Node::bool("and", parts),
    }
}
