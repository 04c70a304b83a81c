//! Datatypes without recursion: their constructors, selectors and tests, as functions of integers below the surface.

use refrain_term::{Bv, Coded, FuncId, Op, Rounding, Sort, Term, Terms};
use rustc_hash::FxHashMap;

use crate::surface::canonical_below;
use crate::surface::{above, sort_below};
use crate::symbols::Symbol;

pub struct Field {
    pub sort: Sort,
    pub selector: FuncId,
}

/// How a constructor makes its data.
#[derive(Clone, Copy)]
enum Make {
    Constant(Term),
    Function(FuncId),
}

pub struct Constructor {
    pub name: Box<str>,
    pub fields: Vec<Field>,
    make: Make,
}

pub struct Datatype {
    pub sort: Coded,
    /// Which constructor made an element.
    pub tag: FuncId,
    pub constructors: Vec<Constructor>,
}

impl Constructor {
    /// The constructor of this name, with fields of these names and sorts.
    pub fn new(
        terms: &mut Terms,
        sort: Coded,
        name: &str,
        fields: Vec<(Box<str>, Sort)>,
    ) -> Constructor {
        let sorts: Vec<Sort> = fields.iter().map(|(_, sort)| sort_below(*sort)).collect();
        let text = format!(r"\{name} {}", sort.text());
        let make = match &sorts[..] {
            [] => Make::Constant(terms.var(&text, Sort::Int)),
            _ => Make::Function(terms.func(&text, &sorts, Sort::Int)),
        };
        let fields = fields.into_iter().enumerate().map(|(place, (field, of))| {
            let text = format!(r"\\field {place} {field} of {name} {}", sort.text());
            let selector = terms.func(&text, &[Sort::Int], sort_below(of));
            Field { sort: of, selector }
        });
        let fields = fields.collect();
        Constructor {
            name: name.into(),
            fields,
            make,
        }
    }

    /// The constructor applied to terms that are below the surface.
    pub fn build(&self, terms: &mut Terms, args: &[Term]) -> Term {
        match self.make {
            Make::Constant(term) => term,
            Make::Function(func) => terms.apply(func, args),
        }
    }

    /// The constructor applied to what its selectors give for a term.
    pub fn rebuilt(&self, terms: &mut Terms, term: Term) -> Term {
        let fields = self.fields.iter();
        let args: Vec<Term> = fields
            .map(|field| {
                let selected = terms.apply(field.selector, &[term]);
                let selected = above(terms, field.sort, selected);
                canonical_below(terms, selected)
            })
            .collect();
        self.build(terms, &args)
    }

    /// The function that makes its data, unless it is a constant.
    pub fn function(&self) -> Option<FuncId> {
        match self.make {
            Make::Function(func) => Some(func),
            Make::Constant(_) => None,
        }
    }
}

impl Datatype {
    pub fn new(terms: &mut Terms, sort: Coded, constructors: Vec<Constructor>) -> Datatype {
        let tag = terms.func(&format!(r"\\tag {}", sort.text()), &[Sort::Int], Sort::Int);
        Datatype {
            sort,
            tag,
            constructors,
        }
    }

    /// The constructor that a term is an application of, and its place.
    pub fn constructor_of(&self, terms: &Terms, term: Term) -> Option<(usize, &Constructor)> {
        let constructors = self.constructors.iter().enumerate();
        constructors.into_iter().find(
            |(_, constructor)| match (constructor.make, terms.op(term)) {
                (Make::Constant(constant), _) => constant == term,
                (Make::Function(func), Op::Apply(applied)) => func == applied,
                _ => false,
            },
        )
    }
}

/// The datatypes of a script.
#[derive(Default)]
pub struct Datatypes {
    list: Vec<Datatype>,
    by_sort: FxHashMap<Coded, usize>,
    /// The constructors: which datatype they are of, which of its constructors they are, and their tests.
    constructors: FxHashMap<Symbol, (usize, usize, u32)>,
}

impl Datatypes {
    /// Adds a datatype; the symbols of its constructors, each with the definition of its test.
    pub fn add(&mut self, datatype: Datatype, constructors: &[(Symbol, u32)]) {
        let place = self.list.len();
        self.by_sort.insert(datatype.sort, place);
        for (which, &(symbol, test)) in constructors.iter().enumerate() {
            self.constructors.insert(symbol, (place, which, test));
        }
        self.list.push(datatype);
    }

    pub fn iter(&self) -> impl Iterator<Item = &Datatype> {
        self.list.iter()
    }

    pub fn of_sort(&self, sort: Coded) -> Option<&Datatype> {
        Some(&self.list[*self.by_sort.get(&sort)?])
    }

    /// How many elements a sort has; the largest number for all that are more, and for infinitely many.
    pub fn count(&self, sort: Sort) -> u64 {
        let power = |base: u64, exponent: u64| match base {
            0 | 1 => 1,
            _ => u32::try_from(exponent).map_or(u64::MAX, |exponent| base.saturating_pow(exponent)),
        };
        match sort {
            Sort::Bool => 2,
            Sort::BitVec(width) => power(2, width.into()),
            Sort::Array { index, element } => {
                power(power(2, element.into()), power(2, index.into()))
            }
            Sort::Int | Sort::Real => u64::MAX,
            // Each NaN is the same.
            Sort::Float(format) => power(2, u64::from(format.width()) - 1),
            Sort::RoundingMode => 5,
            Sort::Coded(coded) => match (coded.sides(), self.of_sort(coded)) {
                (Some((index, element)), _) => power(self.count(element), self.count(index)),
                (None, Some(datatype)) => {
                    let counts = datatype.constructors.iter().map(|constructor| {
                        let fields = constructor.fields.iter();
                        let counts = fields.map(|field| self.count(field.sort));
                        counts.fold(1, u64::saturating_mul)
                    });
                    counts.fold(0, u64::saturating_add)
                }
                (None, None) => u64::MAX,
            },
        }
    }

    /// All elements of a sort, below the surface, if they are no more than this and can be written without arrays.
    pub fn all_elements(&self, terms: &mut Terms, sort: Sort, most: u64) -> Option<Vec<Term>> {
        if self.count(sort) > most {
            return None;
        }
        match sort {
            Sort::Bool => Some(vec![Term::TRUE, Term::FALSE]),
            Sort::BitVec(width) => Some(
                (0..1 << width)
                    .map(|value| terms.bv(width, value))
                    .collect(),
            ),
            Sort::RoundingMode => {
                let all = Rounding::ALL.iter();
                Some(all.map(|&rounding| terms.rounding(rounding)).collect())
            }
            Sort::Float(format) => {
                let width = format.width();
                let patterns = 0..1 << width;
                let is_written = |bits: &Bv| !format.is_nan(bits) || *bits == format.nan();
                let values = patterns.map(|bits| Bv::new(width, bits)).filter(is_written);
                Some(values.map(|bits| terms.constant(bits)).collect())
            }
            Sort::Coded(coded) => {
                let mut all = Vec::new();
                for constructor in &self.of_sort(coded)?.constructors {
                    let mut given: Vec<Vec<Term>> = vec![Vec::new()];
                    for field in &constructor.fields {
                        let held = self.all_elements(terms, field.sort, most)?;
                        let with = |args: &Vec<Term>| -> Vec<Vec<Term>> {
                            let held = held.iter();
                            held.map(|&held| [&args[..], &[held]].concat()).collect()
                        };
                        given = given.iter().flat_map(with).collect();
                    }
                    all.extend(given.iter().map(|args| constructor.build(terms, args)));
                }
                Some(all)
            }
            _ => None,
        }
    }

    /// How many there are, to go back to with [`Datatypes::truncate`].
    pub fn len(&self) -> usize {
        self.list.len()
    }

    /// Takes back all but the first.
    pub fn truncate(&mut self, len: usize) {
        for datatype in self.list.drain(len..) {
            self.by_sort.remove(&datatype.sort);
        }
        self.constructors.retain(|_, (place, ..)| *place < len);
    }

    /// The datatype whose constructor this function is, and which of them.
    pub fn made_by(&self, func: FuncId) -> Option<(&Datatype, usize)> {
        self.list.iter().find_map(|datatype| {
            let mut constructors = datatype.constructors.iter();
            let place = constructors.position(|made| made.function() == Some(func))?;
            Some((datatype, place))
        })
    }

    /// The constructor of this name.
    pub fn constructor(&self, symbol: Symbol) -> Option<(&Datatype, usize)> {
        let &(place, which, _) = self.constructors.get(&symbol)?;
        Some((&self.list[place], which))
    }

    /// The definition that tests whether the constructor of this name made something.
    pub fn test(&self, symbol: Symbol) -> Option<u32> {
        self.constructors.get(&symbol).map(|&(_, _, test)| test)
    }
}
