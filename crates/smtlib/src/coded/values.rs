//! What coded elements are in a model: the text of each, and the values of terms, be they asserted or not.
//!
//! A model says which integer an element is, and what the functions of arrays and data give for the terms that were
//! asserted. Elsewhere an array has its default. Arrays and data are what they hold: two integers may stand for one
//! array where no assertion compares them, and one integer for two arrays that the axioms never relate; the latter are
//! taken apart first. The text, which says what is held, tells elements apart; the integer that had
//! a text first stands for all that have it. What is written, filled or constructed is the element that has the text, or
//! a new one.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::collections::hash_map::Entry;

use refrain_term::{
    Assignment, Coded, Evaluator, FuncId, FuncValue, Op, Rational, Sort, Term, Terms, Value,
    print_value_of, quote_symbol, reachable,
};
use rustc_hash::{FxHashMap, FxHashSet};

use super::arrays::{self, Role};
use super::axioms::{Axioms, Classes, Signatures};
use super::datatypes::Datatypes;
use crate::surface::sort_below;

/// What an array holds: by the text of an index, for a fixed order.
#[derive(Clone)]
struct Content {
    cells: BTreeMap<String, (Value, Value)>,
    default: Value,
}

/// What an array holds at an index.
struct Read {
    sort: Coded,
    array: Value,
    index: Value,
    element: Value,
    /// The index is the one that is none of those written at.
    is_other: bool,
}

/// Arrays that the axioms do not relate, each by an integer of its own.
struct Apart {
    classes: Classes,
    /// Whose an integer is.
    owners: FxHashMap<(Coded, Value), Term>,
    /// What integers become in classes that do not own them.
    moved: FxHashMap<(Coded, Term, Value), Value>,
}

impl Apart {
    fn new(classes: Classes) -> Apart {
        Apart {
            classes,
            owners: FxHashMap::default(),
            moved: FxHashMap::default(),
        }
    }

    /// What an integer becomes that a term of these arrays is; `free`: a number that no element has.
    fn element(&mut self, sort: Coded, term: Term, value: Value, free: &mut Rational) -> Value {
        let class = self.classes.find(term);
        let owner = *self.owners.entry((sort, value.clone())).or_insert(class);
        if owner == class {
            return value;
        }
        let moved = self.moved.entry((sort, class, value));
        let moved = moved.or_insert_with(|| {
            let element = Value::Int(free.clone());
            *free = &*free + &Rational::ONE;
            element
        });
        moved.clone()
    }
}

/// What a model is about.
#[derive(Clone, Copy)]
pub struct Script<'a> {
    pub datatypes: &'a Datatypes,
    pub signatures: &'a Signatures,
    pub axioms: &'a Axioms,
    /// Whether any sort is coded.
    pub any_coded: bool,
}

/// A model, and what the elements of coded sorts are in it.
pub struct Elements<'a> {
    terms: &'a mut Terms,
    script: Script<'a>,
    /// The model, with what was added for terms that no assertion contains.
    model: Cow<'a, Assignment>,
    evaluator: Evaluator,
    arrays: FxHashMap<(Coded, Value), Content>,
    texts: FxHashMap<(Coded, Value), String>,
    /// The element that stands for all of this text.
    named: FxHashMap<(Coded, String), Value>,
    /// Symbols and functions whose values are elements that stand for others.
    settled: FxHashSet<Term>,
    settled_functions: FxHashSet<FuncId>,
    /// A number that no element has.
    free: Rational,
}

impl<'a> Elements<'a> {
    pub fn new(terms: &'a mut Terms, script: Script<'a>, model: &'a Assignment) -> Elements<'a> {
        let mut elements = Elements {
            terms,
            script,
            model: Cow::Borrowed(model),
            evaluator: Evaluator::new(),
            arrays: FxHashMap::default(),
            texts: FxHashMap::default(),
            named: FxHashMap::default(),
            settled: FxHashSet::default(),
            settled_functions: FxHashSet::default(),
            free: Rational::ONE,
        };
        if script.any_coded {
            elements.collect();
        }
        elements
    }

    fn evaluate(&mut self, term: Term) -> Value {
        self.evaluator.value(self.terms, &self.model, term)
    }

    /// Takes arrays apart, reads from the model what they hold, and names all elements of assertions.
    fn collect(&mut self) {
        self.correct_tags();
        let seen = self.script.axioms.seen();
        let values: Vec<Value> = seen.iter().map(|&term| self.evaluate(term)).collect();
        for value in &values {
            self.keep_free(value);
        }
        self.keep_free_of_model();
        let mut apart = Apart::new(self.script.axioms.classes());
        let mut elements: FxHashMap<Term, (Sort, Value)> = FxHashMap::default();
        for (&term, value) in seen.iter().zip(values) {
            let role = |func| arrays::role(self.terms, func);
            let coded = self.script.signatures.sort_of(self.terms, term, role);
            let is_array = coded.is_some_and(|coded| coded.sides().is_some());
            let value = match coded {
                Some(coded) if is_array => apart.element(coded, term, value, &mut self.free),
                _ => value,
            };
            let sort = coded.map_or(self.terms.sort(term), Sort::Coded);
            elements.insert(term, (sort, value));
        }
        let reads = self.take_apart(&mut apart, &elements);
        self.evaluator = Evaluator::new();
        self.read_arrays(reads);
        for term in seen {
            let (sort, value) = elements[term].clone();
            self.standing_for(sort, value);
        }
    }

    /// Gives symbols and functions the elements that terms are; what arrays are read for.
    fn take_apart(
        &mut self,
        apart: &mut Apart,
        elements: &FxHashMap<Term, (Sort, Value)>,
    ) -> Vec<Read> {
        let mut reads = Vec::new();
        let mut functions: FxHashMap<FuncId, FuncValue> = FxHashMap::default();
        let is_array = |sort: Sort| matches!(sort, Sort::Coded(coded) if coded.sides().is_some());
        for &term in self.script.axioms.seen() {
            let (sort, value) = &elements[&term];
            match self.terms.op(term) {
                Op::Var(var) if is_array(*sort) => self.model.to_mut().set(var, value.clone()),
                Op::Apply(func) => {
                    let role = arrays::role(self.terms, func);
                    if role.is_none() && self.script.signatures.function(func).is_none() {
                        continue;
                    }
                    let args = self.terms.args(term).to_vec();
                    let given: Vec<Value> =
                        args.iter().map(|arg| elements[arg].1.clone()).collect();
                    if let Some((Role::Select, sort)) = role {
                        let [array, index] = [0, 1].map(|place| given[place].clone());
                        reads.push(Read {
                            sort,
                            array,
                            index,
                            element: value.clone(),
                            is_other: args[1] == arrays::other_index_of(self.terms, sort),
                        });
                    }
                    let known = match functions.entry(func) {
                        Entry::Occupied(known) => known.into_mut(),
                        Entry::Vacant(new) => {
                            let known = self.model.func(func).map(|known| known.default().clone());
                            let zero = || Value::zero(self.terms.func_decl(func).result);
                            let mut default = known.unwrap_or_else(zero);
                            if let Sort::Coded(coded) = *sort
                                && is_array(*sort)
                            {
                                default = apart.element(coded, term, default, &mut self.free);
                            }
                            new.insert(FuncValue::new(default))
                        }
                    };
                    known.set(given, value.clone());
                }
                _ => {}
            }
        }
        for (func, value) in functions {
            self.model.to_mut().set_func(func, value);
        }
        reads
    }

    fn read_arrays(&mut self, mut reads: Vec<Read>) {
        // An index that is not written at shows what an array holds elsewhere.
        for read in reads.iter().filter(|read| read.is_other) {
            self.content_mut(read.sort, &read.array).default = read.element.clone();
        }
        // Indices are told apart by their texts, which those of their own arrays are part of.
        reads.sort_by_cached_key(|read| self.depth(Sort::Coded(read.sort)));
        for read in reads {
            let (of, _) = read.sort.sides().expect("arrays");
            let place = self.text(of, &read.index);
            let content = self.content_mut(read.sort, &read.array);
            content.cells.insert(place, (read.index, read.element));
        }
    }

    /// How deep sorts are nested in a sort.
    fn depth(&self, sort: Sort) -> usize {
        let Sort::Coded(coded) = sort else { return 0 };
        if let Some((index, element)) = coded.sides() {
            return 1 + self.depth(index).max(self.depth(element));
        }
        let datatype = self.script.datatypes.of_sort(coded).into_iter();
        let constructors = datatype.flat_map(|datatype| &datatype.constructors);
        let fields = constructors.flat_map(|constructor| &constructor.fields);
        1 + fields
            .map(|field| self.depth(field.sort))
            .max()
            .unwrap_or(0)
    }

    fn keep_free(&mut self, value: &Value) {
        if let Some(number) = value.as_number()
            && *number >= self.free
        {
            self.free = &number.floor() + &Rational::ONE;
        }
    }

    /// A model may also know elements of levels that have been popped: no new element is one of them.
    fn keep_free_of_model(&mut self) {
        let model = std::mem::take(&mut self.model);
        for (_, value) in model.iter() {
            self.keep_free(value);
        }
        for (_, function) in model.funcs() {
            self.keep_free(function.default());
            for (args, value) in function.entries() {
                args.iter().for_each(|arg| self.keep_free(arg));
                self.keep_free(value);
            }
        }
        self.model = model;
    }

    /// A model may also know elements of a datatype that is gone: to one of its name, their tags say nothing.
    fn correct_tags(&mut self) {
        for datatype in self.script.datatypes.iter() {
            let count = Rational::from(datatype.constructors.len() as i64);
            let is_tag = |value: &Value| {
                let number = value.as_number();
                number.is_some_and(|tag| (&Rational::ZERO..&count).contains(&tag))
            };
            let Some(known) = self.model.func(datatype.tag) else {
                continue;
            };
            if is_tag(known.default()) && known.entries().all(|(_, tag)| is_tag(tag)) {
                continue;
            }
            let corrected = |tag: &Value| match is_tag(tag) {
                true => tag.clone(),
                false => Value::zero(Sort::Int),
            };
            let mut right = FuncValue::new(corrected(known.default()));
            for (args, tag) in known.entries() {
                right.set(args, corrected(tag));
            }
            self.model.to_mut().set_func(datatype.tag, right);
        }
    }

    fn content_mut(&mut self, sort: Coded, array: &Value) -> &mut Content {
        let select = arrays::function(self.terms, Role::Select, sort);
        let (_, element) = sort.sides().expect("arrays");
        let default = match self.model.func(select) {
            Some(known) => known.default().clone(),
            None => Value::zero(sort_below(element)),
        };
        self.arrays
            .entry((sort, array.clone()))
            .or_insert_with(|| Content {
                cells: BTreeMap::new(),
                default,
            })
    }

    /// The element that stands for this one, and for all that hold the same.
    fn standing_for(&mut self, sort: Sort, value: Value) -> Value {
        let Sort::Coded(coded) = sort else {
            return value;
        };
        if coded.sides().is_none() && self.script.datatypes.of_sort(coded).is_none() {
            return value;
        }
        let text = self.text(sort, &value);
        self.named.entry((coded, text)).or_insert(value).clone()
    }

    /// What a function gives.
    pub fn function(&self, func: FuncId) -> Option<&FuncValue> {
        self.model.func(func)
    }

    /// The value of a term, above the surface as below it.
    pub fn value(&mut self, term: Term) -> Value {
        if self.script.any_coded {
            for part in reachable(self.terms, &[term]) {
                match self.terms.op(part) {
                    Op::Var(_) => self.settle_symbol(part),
                    Op::Apply(func) => self.settle_application(func, part),
                    _ => {}
                }
            }
        }
        self.evaluate(term)
    }

    /// Sees to it that a symbol is an element that stands for others.
    fn settle_symbol(&mut self, symbol: Term) {
        let Op::Var(var) = self.terms.op(symbol) else {
            return;
        };
        if !self.settled.insert(symbol) {
            return;
        }
        let signatures = self.script.signatures;
        let Some(sort) = signatures.sort_of(self.terms, symbol, |_| None) else {
            return;
        };
        let datatype = self.script.datatypes.of_sort(sort);
        let constructor = datatype.and_then(|datatype| datatype.constructor_of(self.terms, symbol));
        let before = self.evaluate(symbol);
        let value = match constructor {
            Some((place, _)) => self.construct(sort, place, &[]),
            None => self.standing_for(Sort::Coded(sort), before.clone()),
        };
        if value != before {
            self.model.to_mut().set(var, value);
            self.evaluator = Evaluator::new();
        }
    }

    /// Sees to it that a function gives what it has to for these arguments, which stand for others.
    fn settle_application(&mut self, func: FuncId, term: Term) {
        let args = self.terms.args(term).to_vec();
        let args: Vec<Value> = args.iter().map(|&arg| self.evaluate(arg)).collect();
        let result = match arrays::role(self.terms, func) {
            Some((Role::Select, sort)) => {
                let (index, element) = sort.sides().expect("arrays");
                let place = self.text(index, &args[1]);
                let content = self.content_mut(sort, &args[0]);
                let cell = content.cells.get(&place);
                let held = cell.map_or(&content.default, |(_, held)| held).clone();
                self.standing_for(element, held)
            }
            Some((Role::Store, sort)) => {
                let (index, _) = sort.sides().expect("arrays");
                let place = self.text(index, &args[1]);
                let mut content = self.content_mut(sort, &args[0]).clone();
                content
                    .cells
                    .insert(place, (args[1].clone(), args[2].clone()));
                self.array_with(sort, content)
            }
            Some((Role::Constant, sort)) => {
                let content = Content {
                    cells: BTreeMap::new(),
                    default: args[0].clone(),
                };
                self.array_with(sort, content)
            }
            Some((Role::Difference, _)) => return,
            None => match self.script.datatypes.made_by(func) {
                Some((datatype, place)) => self.construct(datatype.sort, place, &args),
                None => {
                    self.settle_function(func);
                    return;
                }
            },
        };
        let result_sort = self.terms.func_decl(func).result;
        let known = self.model.func(func).map(|known| known.get(&args));
        if known != Some(&result) {
            let model = self.model.to_mut();
            model.func_mut(func, result_sort).set(args, result);
            self.evaluator = Evaluator::new();
        }
    }

    /// Sees to it that a function of the script, or a selector, knows and gives elements that stand for others.
    fn settle_function(&mut self, func: FuncId) {
        if !self.settled_functions.insert(func) {
            return;
        }
        let signatures = self.script.signatures;
        let Some((sorts, result)) = signatures.function(func) else {
            return;
        };
        let known = match self.model.func(func) {
            Some(known) => known.clone(),
            None => FuncValue::new(Value::zero(sort_below(result))),
        };
        let default = self.standing_for(result, known.default().clone());
        let mut settled = FuncValue::new(default);
        for (args, value) in known.entries() {
            let args = sorts.iter().zip(args);
            let args: Vec<Value> = args
                .map(|(&sort, arg)| self.standing_for(sort, arg.clone()))
                .collect();
            settled.set(args, self.standing_for(result, value.clone()));
        }
        self.model.to_mut().set_func(func, settled);
        self.evaluator = Evaluator::new();
    }

    /// The array that holds just this.
    fn array_with(&mut self, sort: Coded, content: Content) -> Value {
        let text = self.array_text(sort, &content);
        if let Some(known) = self.named.get(&(sort, text.clone())) {
            return known.clone();
        }
        let array = self.new_element();
        self.arrays.insert((sort, array.clone()), content);
        self.named.insert((sort, text), array.clone());
        array
    }

    fn new_element(&mut self) -> Value {
        let element = Value::Int(self.free.clone());
        self.keep_free(&element);
        element
    }

    /// What the constructor at this place gives for these arguments.
    fn construct(&mut self, sort: Coded, place: usize, args: &[Value]) -> Value {
        let text = self.constructed_text(sort, place, args);
        if let Some(known) = self.named.get(&(sort, text.clone())) {
            return known.clone();
        }
        let made = self.new_element();
        self.named.insert((sort, text), made.clone());
        let datatypes = self.script.datatypes;
        let datatype = datatypes.of_sort(sort).expect("a datatype");
        let tag = Value::Int(Rational::from(place as i64));
        let of: Box<[Value]> = [made.clone()].into();
        let model = self.model.to_mut();
        model.func_mut(datatype.tag, Sort::Int).set(of.clone(), tag);
        let fields = &datatype.constructors[place].fields;
        for (field, value) in fields.iter().zip(args) {
            model
                .func_mut(field.selector, sort_below(field.sort))
                .set(of.clone(), value.clone());
        }
        self.evaluator = Evaluator::new();
        made
    }

    /// The text of a value of a sort that scripts have.
    pub fn text(&mut self, sort: Sort, value: &Value) -> String {
        let Sort::Coded(coded) = sort else {
            return print_value_of(sort, value);
        };
        let key = (coded, value.clone());
        if let Some(known) = self.texts.get(&key) {
            return known.clone();
        }
        let text = if coded.sides().is_some() {
            let content = self.content_mut(coded, value).clone();
            self.array_text(coded, &content)
        } else if self.script.datatypes.of_sort(coded).is_some() {
            self.data_text(coded, value)
        } else {
            let number = value.as_number().map_or(String::new(), Rational::to_string);
            let name = coded.text().replace('|', "");
            let symbol = quote_symbol(&format!("@{name}_{number}"));
            format!("(as {symbol} {sort})")
        };
        self.texts.insert(key, text.clone());
        text
    }

    fn array_text(&mut self, sort: Coded, content: &Content) -> String {
        let (index, element) = sort.sides().expect("arrays");
        let mut default = self.text(element, &content.default);
        let mut cells = Vec::new();
        for (place, (_, held)) in &content.cells {
            cells.push((place.clone(), self.text(element, held)));
        }
        // Where indices are few, another default may say the same: the most frequent element is written.
        if let Some(all) = self.all_texts(index, 2 * cells.len()) {
            let held: BTreeMap<String, String> = cells.into_iter().collect();
            let whole = all.into_iter().map(|place| {
                let element = held.get(&place).unwrap_or(&default).clone();
                (place, element)
            });
            cells = whole.collect();
            cells.sort_unstable();
            let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
            for (_, element) in &cells {
                *counts.entry(element).or_default() += 1;
            }
            let most = counts.values().copied().max();
            let frequent = counts.iter().find(|&(_, count)| Some(*count) == most);
            default = frequent.map_or(default, |(element, _)| (*element).to_owned());
        }
        cells.retain(|(_, held)| *held != default);
        let mut text = "(store ".repeat(cells.len());
        text += &format!("((as const {}) {default})", Sort::Coded(sort));
        for (at, held) in cells {
            text += &format!(" {at} {held})");
        }
        text
    }

    /// The texts of all values of a sort, if they are few and no more than `most`.
    fn all_texts(&mut self, sort: Sort, most: usize) -> Option<Vec<String>> {
        let values = match sort {
            Sort::Bool => vec![Value::Bool(false), Value::Bool(true)],
            Sort::BitVec(width) if width < 32 && 1 << width <= most => (0..1u64 << width)
                .map(|value| Value::Bv(refrain_term::Bv::new(width, value)))
                .collect(),
            Sort::Coded(coded) => return self.all_data(coded, most),
            _ => return None,
        };
        let fits = values.len() <= most;
        fits.then(|| {
            values
                .iter()
                .map(|value| print_value_of(sort, value))
                .collect()
        })
    }

    fn all_data(&mut self, sort: Coded, most: usize) -> Option<Vec<String>> {
        let datatype = self.script.datatypes.of_sort(sort)?;
        let mut all = Vec::new();
        for constructor in &datatype.constructors {
            let mut texts = vec![quote_symbol(&constructor.name)];
            for field in &constructor.fields {
                let held = self.all_texts(field.sort, most)?;
                if texts.len() * held.len() > most {
                    return None;
                }
                let with = |text: &String| -> Vec<String> {
                    held.iter().map(|held| format!("{text} {held}")).collect()
                };
                texts = texts.iter().flat_map(with).collect();
            }
            let is_constant = constructor.fields.is_empty();
            all.extend(texts.into_iter().map(|text| match is_constant {
                true => text,
                false => format!("({text})"),
            }));
        }
        (all.len() <= most).then_some(all)
    }

    fn data_text(&mut self, sort: Coded, value: &Value) -> String {
        let datatypes = self.script.datatypes;
        let datatype = datatypes.of_sort(sort).expect("a datatype");
        let of = std::slice::from_ref(value);
        let given = |model: &Assignment, func: FuncId, sort: Sort| match model.func(func) {
            Some(known) => known.get(of).clone(),
            None => Value::zero(sort_below(sort)),
        };
        let tag = given(&self.model, datatype.tag, Sort::Int);
        let count = datatype.constructors.len();
        let place = (0..count).find(|&place| tag == Value::Int(Rational::from(place as i64)));
        let place = place.unwrap_or(0);
        let fields = datatype.constructors[place].fields.iter();
        let args: Vec<Value> = fields
            .map(|field| given(&self.model, field.selector, field.sort))
            .collect();
        self.constructed_text(sort, place, &args)
    }

    fn constructed_text(&mut self, sort: Coded, place: usize, args: &[Value]) -> String {
        let datatypes = self.script.datatypes;
        let datatype = datatypes.of_sort(sort).expect("a datatype");
        let constructor = &datatype.constructors[place];
        let name = quote_symbol(&constructor.name);
        if constructor.fields.is_empty() {
            return name;
        }
        let mut text = format!("({name}");
        for (field, held) in constructor.fields.iter().zip(args) {
            text.push(' ');
            text += &self.text(field.sort, held);
        }
        text.push(')');
        text
    }

    pub fn terms(&self) -> &Terms {
        self.terms
    }
}
