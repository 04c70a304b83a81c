//! Proofs as text: one step a line, numbers in decimal. Terms are numbered from 1, in the order in which the script, and
//! then the rules, make them. All words are tokens of SMT-LIB, so that a proof between parentheses is an answer of
//! `get-proof`.

use std::fmt::Write;

use dashu_int::{IBig, UBig};
use dashu_ratio::RBig;

use crate::error::Fault;
use crate::gates::Lit;
use crate::linear::Combination;
use crate::rules::{Literal, Rule};
use crate::terms::{Term, Terms};

/// How every proof begins.
pub const HEADER: &str = "refrain-proof 1";
/// How every proof ends.
pub const END: &str = "end";

/// Appends what a proof is about: a check of a script, and which of its assertions are used, from 1.
pub fn write_head(out: &mut String, check: u32, digest: u64, used: &[usize]) {
    let _ = writeln!(out, "{HEADER}\ncheck {check} #x{digest:016x}");
    out.push_str("use");
    for place in used {
        let _ = write!(out, " {place}");
    }
    out.push('\n');
}

/// Appends a rule.
pub fn write_rule(out: &mut String, rule: &Rule) {
    let n = |term: &Term| u64::from(term.0) + 1;
    let _ = match rule {
        Rule::Bits { width, value } => writeln!(out, "bits {width} {value}"),
        Rule::Read { array, index } => writeln!(out, "read {} {}", n(array), n(index)),
        Rule::Encode(term) => writeln!(out, "encode {}", n(term)),
        Rule::Define(term) => writeln!(out, "define {}", n(term)),
        Rule::Row { store, index } => writeln!(out, "row {} {}", n(store), n(index)),
        Rule::Const { array, index } => writeln!(out, "const {} {}", n(array), n(index)),
        Rule::Extensionality(a, b) => writeln!(out, "ext {} {}", n(a), n(b)),
        Rule::Congruence(a, b) => writeln!(out, "cong {} {}", n(a), n(b)),
        Rule::Transitivity(chain) => {
            out.push_str("trans");
            for term in chain {
                let _ = write!(out, " {}", n(term));
            }
            writeln!(out)
        }
        Rule::Ring(a, b) => writeln!(out, "ring {} {}", n(a), n(b)),
        Rule::Trichotomy(a, b) => writeln!(out, "tri {} {}", n(a), n(b)),
        Rule::Branch { integer, at } => writeln!(out, "branch {} {at}", n(integer)),
        Rule::Linear {
            literals,
            combinations,
        } => {
            out.push_str("linear");
            for literal in literals {
                let sign = if literal.holds { "" } else { "-" };
                let _ = write!(out, " {sign}{}", n(&literal.formula));
            }
            for combination in combinations {
                out.push_str(" :sum");
                for (place, factor) in combination {
                    let (above, below) = (factor.numerator(), factor.denominator());
                    let _ = write!(out, " {} {above} {below}", place + 1);
                }
            }
            writeln!(out)
        }
    };
}

/// Appends how large the encoding has become: what the clauses that follow are derived from.
pub fn write_size(out: &mut String, vars: i32, clauses: usize) {
    let _ = writeln!(out, "cnf {vars} {clauses}");
}

/// Appends a derived clause, as LRAT has it.
pub fn write_clause(out: &mut String, number: u64, clause: &[Lit], hints: &[u64]) {
    let _ = write!(out, "{number} ");
    write_lits(out, clause);
    for hint in hints {
        let _ = write!(out, " {hint}");
    }
    out.push_str(" 0\n");
}

/// Appends a clause, as DIMACS and DRAT have it.
pub fn write_plain_clause(out: &mut String, clause: &[Lit]) {
    write_lits(out, clause);
    out.push('\n');
}

fn write_lits(out: &mut String, clause: &[Lit]) {
    for lit in clause {
        let _ = write!(out, "{lit} ");
    }
    out.push('0');
}

/// One line of a proof, word by word.
pub struct Words<'a> {
    words: std::str::SplitAsciiWhitespace<'a>,
}

impl<'a> Words<'a> {
    pub fn of(line: &'a [u8]) -> Result<Words<'a>, Fault> {
        let line = std::str::from_utf8(line).map_err(|_| Fault::wrong("not text"))?;
        Ok(Words {
            words: line.split_ascii_whitespace(),
        })
    }

    pub fn word(&mut self) -> Option<&'a str> {
        self.words.next()
    }

    pub fn need(&mut self) -> Result<&'a str, Fault> {
        self.word()
            .ok_or_else(|| Fault::wrong("the line is cut short"))
    }

    pub fn number<T: std::str::FromStr>(&mut self) -> Result<T, Fault> {
        parse(self.need()?)
    }

    pub fn end(&mut self) -> Result<(), Fault> {
        match self.word() {
            Some(word) => Err(unexpected(word)),
            None => Ok(()),
        }
    }

    fn term(&mut self, terms: &Terms) -> Result<Term, Fault> {
        term(terms, self.need()?)
    }

    /// The rest of a rule that begins with `name`.
    pub fn rule(&mut self, terms: &Terms, name: &str) -> Result<Rule, Fault> {
        let rule = match name {
            "bits" => Rule::Bits {
                width: self.number()?,
                value: self.number::<UBig>()?,
            },
            "read" => Rule::Read {
                array: self.term(terms)?,
                index: self.term(terms)?,
            },
            "encode" => Rule::Encode(self.term(terms)?),
            "define" => Rule::Define(self.term(terms)?),
            "row" => Rule::Row {
                store: self.term(terms)?,
                index: self.term(terms)?,
            },
            "const" => Rule::Const {
                array: self.term(terms)?,
                index: self.term(terms)?,
            },
            "ext" => Rule::Extensionality(self.term(terms)?, self.term(terms)?),
            "cong" => Rule::Congruence(self.term(terms)?, self.term(terms)?),
            "trans" => {
                let mut chain = Vec::new();
                while let Some(word) = self.word() {
                    chain.push(term(terms, word)?);
                }
                Rule::Transitivity(chain)
            }
            "ring" => Rule::Ring(self.term(terms)?, self.term(terms)?),
            "tri" => Rule::Trichotomy(self.term(terms)?, self.term(terms)?),
            "branch" => Rule::Branch {
                integer: self.term(terms)?,
                at: self.number::<IBig>()?,
            },
            "linear" => self.linear(terms)?,
            word => return Err(unexpected(word)),
        };
        self.end()?;
        Ok(rule)
    }

    fn linear(&mut self, terms: &Terms) -> Result<Rule, Fault> {
        let mut literals = Vec::new();
        let mut combinations: Vec<Combination> = Vec::new();
        while let Some(word) = self.word() {
            if word == ":sum" {
                combinations.push(Combination::new());
            } else if let Some(combination) = combinations.last_mut() {
                let place: usize = parse(word)?;
                let place = place.checked_sub(1).ok_or_else(|| unexpected(word))?;
                let (above, below): (IBig, UBig) = (self.number()?, self.number()?);
                if below == UBig::ZERO {
                    return Err(Fault::wrong("a denominator that is 0"));
                }
                combination.push((place, RBig::from_parts(above, below)));
            } else {
                let (holds, word) = match word.strip_prefix('-') {
                    Some(word) => (false, word),
                    None => (true, word),
                };
                let formula = term(terms, word)?;
                literals.push(Literal { formula, holds });
            }
        }
        Ok(Rule::Linear {
            literals,
            combinations,
        })
    }

    /// Numbers up to a 0.
    pub fn list<T: std::str::FromStr + Default + PartialEq>(&mut self) -> Result<Vec<T>, Fault> {
        let mut list = Vec::new();
        loop {
            let number: T = self.number()?;
            if number == T::default() {
                return Ok(list);
            }
            list.push(number);
        }
    }
}

pub fn unexpected(word: &str) -> Fault {
    let shown: String = word.chars().take(40).collect();
    Fault::wrong(format!("'{shown}' is not expected here"))
}

fn parse<T: std::str::FromStr>(word: &str) -> Result<T, Fault> {
    word.parse().map_err(|_| unexpected(word))
}

fn term(terms: &Terms, word: &str) -> Result<Term, Fault> {
    let number: u64 = parse(word)?;
    let term = number.checked_sub(1).and_then(|number| terms.get(number));
    term.ok_or_else(|| Fault::wrong(format!("there is no term {word}")))
}
