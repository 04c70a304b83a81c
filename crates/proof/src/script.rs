//! Scripts: commands, and what is asserted when a check is asked for.
//!
//! A command that cannot be read has no effect, other than that what it would have asserted or declared is known to be
//! missing: an assertion that is not covered cannot be used by a proof, and what is left of the others is weaker, never
//! stronger.

use std::sync::Arc;

use dashu_int::UBig;
use dashu_ratio::RBig;
use rustc_hash::FxHashMap;

use crate::builtin::{self, MAX_WIDTH, to_real};
use crate::terms::{Op, Sort, Term, Terms};
use crate::tokens::{Token, Tokens};

const BYTE_ORDER_MARK: &[u8] = b"\xef\xbb\xbf";
/// Sorts nest no deeper.
const MAX_DEPTH: usize = 64;
/// More levels in one command are a mistake.
const MAX_LEVELS: u64 = 1 << 20;

/// A formula that is asserted, or why it is not covered.
pub type Assertion = Result<Term, Arc<str>>;

/// What a name stands for.
#[derive(Clone)]
enum Meaning {
    Term(Term),
    Function(u32, Arc<[Sort]>, Sort),
    Definition(Arc<[Sort]>, Term),
    /// Why it cannot be used.
    Missing(Arc<str>),
}

#[derive(Clone)]
struct Entry {
    meaning: Meaning,
    era: u32,
}

/// The sort that a name stands for: of parameters, by its text.
#[derive(Clone)]
struct SortEntry {
    parameters: Arc<[Vec<u8>]>,
    text: Arc<[u8]>,
    declared: Option<u32>,
}

/// What a level is taken back to.
#[derive(Clone)]
struct Level {
    assertions: usize,
    names: usize,
    sorts: usize,
}

type Replaced<T> = Vec<(Vec<u8>, Option<T>)>;

/// A script, read up to some command.
#[derive(Clone, Default)]
pub struct Script {
    pub terms: Terms,
    names: FxHashMap<Vec<u8>, Entry>,
    sorts: FxHashMap<Vec<u8>, SortEntry>,
    /// What names stood for before, to go back to.
    replaced_names: Replaced<Entry>,
    replaced_sorts: Replaced<SortEntry>,
    levels: Vec<Level>,
    assertions: Vec<Assertion>,
    symbols: u32,
    era: u32,
    is_global: bool,
    real_numerals: bool,
    has_logic: bool,
    /// Commands that check, so far.
    checks: u32,
    /// What the last check was about, if the last command was one.
    last_check: Option<Vec<Assertion>>,
    /// Bytes that are no whole command yet.
    pending: Vec<u8>,
    started: bool,
    is_over: bool,
    digest: Digest,
}

/// FNV-1a, which tells scripts apart. What a proof is worth does not depend on it.
#[derive(Clone, Copy, PartialEq, Eq)]
struct Digest(u64);

impl Default for Digest {
    fn default() -> Digest {
        Digest(0xcbf2_9ce4_8422_2325)
    }
}

impl Digest {
    fn add(&mut self, bytes: &[u8]) {
        for &byte in bytes {
            self.0 = (self.0 ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3);
        }
    }
}

/// What a check asks: whether the assertions can hold together.
#[derive(Clone)]
pub struct Problem {
    pub terms: Terms,
    /// Assertions, and after them assumptions.
    pub assertions: Vec<Assertion>,
    /// Which check of the script this is, from 1.
    pub check: u32,
    /// Of the script up to the end of the check.
    pub digest: u64,
}

impl Script {
    pub fn new() -> Script {
        Script::default()
    }

    /// Reads more of the script: all commands that are complete.
    pub fn feed(&mut self, text: &[u8]) {
        if self.pending.is_empty() {
            let done = self.run(text, None);
            self.pending = text[done..].to_vec();
        } else {
            let mut all = std::mem::take(&mut self.pending);
            all.extend_from_slice(text);
            let done = self.run(&all, None);
            all.drain(..done);
            self.pending = all;
        }
    }

    /// What check number `check` of a script asks.
    pub fn problem_of(text: &[u8], check: u32) -> Option<Problem> {
        let mut script = Script::new();
        script.run(text, Some(check));
        if script.checks == check {
            script.problem()
        } else {
            None
        }
    }

    /// The question of the check that was just read, if one was.
    pub fn problem(&self) -> Option<Problem> {
        let assertions = self.last_check.clone()?;
        Some(Problem {
            terms: self.terms.clone(),
            assertions,
            check: self.checks,
            digest: self.digest.0,
        })
    }

    /// Runs the whole commands of a text, or those up to a check; where it stopped.
    fn run(&mut self, text: &[u8], until: Option<u32>) -> usize {
        let mut at = 0;
        if !self.started && text.starts_with(BYTE_ORDER_MARK) {
            at = BYTE_ORDER_MARK.len();
            self.digest.add(BYTE_ORDER_MARK);
        }
        self.started |= !text.is_empty();
        while !self.is_over && until != Some(self.checks) {
            let mut tokens = Tokens::new(&text[at..]);
            if tokens.skip().is_none() {
                break;
            }
            let command = &text[at..at + tokens.position()];
            at += command.len();
            self.digest.add(command);
            self.last_check = None;
            // What is wrong with it was noted where it matters.
            let _ = self.command(&mut Tokens::new(command));
        }
        at
    }

    /// A check under the formulas up to a parenthesis.
    fn check_assuming(&mut self, tokens: &mut Tokens) {
        let mut assumed = Vec::new();
        while tokens.peek().is_some_and(|token| token != Token::Close) {
            assumed.push(self.formula(tokens));
        }
        self.check(assumed);
    }

    fn command(&mut self, tokens: &mut Tokens) -> Result<(), String> {
        if tokens.next() != Some(Token::Open) {
            return Err("no command".into());
        }
        match tokens.next().and_then(Token::name).unwrap_or_default() {
            b"assert" => {
                let formula = self.formula(tokens);
                self.assertions.push(formula);
            }
            // z3 takes assumptions here, too.
            b"check-sat" => self.check_assuming(tokens),
            b"check-sat-using" => self.check(Vec::new()),
            b"check-sat-assuming" => match tokens.next() {
                Some(Token::Open) => self.check_assuming(tokens),
                _ => self.check(Vec::new()),
            },
            b"push" => {
                for _ in 0..levels(tokens)? {
                    self.push();
                }
            }
            b"pop" => {
                let count = levels(tokens)? as usize;
                if count > self.levels.len() {
                    return Err("too many levels".into());
                }
                let left = self.levels.len() - count;
                self.pop_to(left);
            }
            b"declare-const" => {
                let name = name(tokens)?;
                let sort = self.sort(tokens);
                self.declare(name, Ok(Vec::new()), sort)?;
            }
            b"declare-fun" => {
                let name = name(tokens)?;
                let args = self.sort_list(tokens);
                let result = self.sort(tokens);
                self.declare(name, args, result)?;
            }
            b"define-fun" => self.define(tokens, true)?,
            b"define-const" => self.define(tokens, false)?,
            b"declare-sort" => {
                let name = name(tokens)?;
                if !matches!(tokens.next(), Some(Token::Numeral(b"0") | Token::Close)) {
                    return Err("sorts with parameters are not covered".into());
                }
                self.symbols += 1;
                let entry = SortEntry {
                    parameters: Arc::new([]),
                    text: Arc::new([]),
                    declared: Some(self.symbols),
                };
                self.name_sort(name, entry)?;
            }
            b"define-sort" => {
                let name = name(tokens)?;
                let mut parameters = Vec::new();
                if tokens.next() != Some(Token::Open) {
                    return Err("parameters expected".into());
                }
                while let Some(parameter) = tokens.next().and_then(Token::name) {
                    parameters.push(parameter.to_vec());
                }
                let start = tokens.position();
                tokens.skip().ok_or("a sort expected")?;
                let entry = SortEntry {
                    parameters: parameters.into(),
                    text: tokens.slice(start, tokens.position()).into(),
                    declared: None,
                };
                self.name_sort(name, entry)?;
            }
            b"set-option" if tokens.next() == Some(Token::Keyword(b"global-declarations")) => {
                self.is_global = tokens.next() == Some(Token::Symbol(b"true"));
            }
            b"set-logic" => {
                let logic = tokens.next().and_then(Token::name).unwrap_or_default();
                let has = |part: &[u8]| logic.windows(part.len()).any(|window| window == part);
                if !self.has_logic {
                    self.real_numerals = (has(b"RA") || has(b"RDL")) && !has(b"IRA");
                }
                self.has_logic = true;
            }
            b"reset" => {
                *self = Script {
                    checks: self.checks,
                    symbols: self.symbols,
                    terms: std::mem::take(&mut self.terms),
                    started: true,
                    digest: self.digest,
                    ..Script::default()
                };
            }
            b"reset-assertions" => {
                self.pop_to(0);
                self.assertions.clear();
                if !self.is_global {
                    self.era += 1;
                    self.sorts.clear();
                    self.replaced_sorts.clear();
                }
            }
            b"exit" => self.is_over = true,
            _ => {}
        }
        Ok(())
    }

    fn check(&mut self, assumed: Vec<Assertion>) {
        self.checks += 1;
        let assertions = self.assertions.iter().cloned().chain(assumed);
        self.last_check = Some(assertions.collect());
    }

    // Levels.

    fn push(&mut self) {
        self.levels.push(Level {
            assertions: self.assertions.len(),
            names: self.replaced_names.len(),
            sorts: self.replaced_sorts.len(),
        });
    }

    fn pop_to(&mut self, left: usize) {
        let Some(level) = self.levels.drain(left..).next() else {
            return;
        };
        self.assertions.truncate(level.assertions);
        restore(&mut self.names, self.replaced_names.drain(level.names..));
        restore(&mut self.sorts, self.replaced_sorts.drain(level.sorts..));
    }

    // Names.

    fn give_meaning(&mut self, name: Vec<u8>, meaning: Meaning) -> Result<(), String> {
        let known = self.names.get(&name);
        if known.is_some_and(|entry| entry.era == self.era) {
            return Err("already declared".into());
        }
        let entry = Entry {
            meaning,
            era: self.era,
        };
        let before = self.names.insert(name.clone(), entry);
        if !self.is_global {
            self.replaced_names.push((name, before));
        }
        Ok(())
    }

    fn name_sort(&mut self, name: Vec<u8>, entry: SortEntry) -> Result<(), String> {
        if self.sorts.contains_key(&name) {
            return Err("already declared".into());
        }
        self.sorts.insert(name.clone(), entry);
        if !self.is_global {
            self.replaced_sorts.push((name, None));
        }
        Ok(())
    }

    fn declare(
        &mut self,
        name: Vec<u8>,
        args: Result<Vec<Sort>, String>,
        result: Result<Sort, String>,
    ) -> Result<(), String> {
        self.symbols += 1;
        let symbol = self.symbols;
        let meaning = match (args, result) {
            (Ok(args), Ok(sort)) if args.is_empty() => {
                Meaning::Term(self.terms.make(Op::Var(symbol), &[], sort))
            }
            (Ok(args), Ok(sort)) => Meaning::Function(symbol, args.into(), sort),
            (Err(why), _) | (_, Err(why)) => Meaning::Missing(why.into()),
        };
        self.give_meaning(name, meaning)
    }

    /// The rest of `define-fun`, or without parameters of `define-const`.
    fn define(&mut self, tokens: &mut Tokens, has_parameters: bool) -> Result<(), String> {
        let name = name(tokens)?;
        let defined = self.definition(tokens, has_parameters);
        let meaning = match defined {
            Ok((sorts, body)) if sorts.is_empty() => Meaning::Term(body),
            Ok((sorts, body)) => Meaning::Definition(sorts.into(), body),
            Err(why) => Meaning::Missing(why.into()),
        };
        self.give_meaning(name, meaning)
    }

    fn definition(
        &mut self,
        tokens: &mut Tokens,
        has_parameters: bool,
    ) -> Result<(Vec<Sort>, Term), String> {
        let mut sorts = Vec::new();
        let mut scope = Scope::default();
        if has_parameters {
            if tokens.next() != Some(Token::Open) {
                return Err("parameters expected".into());
            }
            while tokens.next() == Some(Token::Open) {
                let parameter = name(tokens)?;
                let sort = self.sort(tokens)?;
                if tokens.next() != Some(Token::Close) {
                    return Err("')' expected".into());
                }
                let op = Op::Parameter(sorts.len() as u32);
                let term = self.terms.make(op, &[], sort.clone());
                scope.bind(parameter, term);
                sorts.push(sort);
            }
        }
        let result = self.sort(tokens)?;
        let body = self.term(tokens, scope)?;
        let body = self.coerced(body, &result);
        if *self.terms.sort(body) != result {
            return Err("a definition whose sorts differ".into());
        }
        Ok((sorts, body))
    }

    // Sorts.

    fn sort_list(&mut self, tokens: &mut Tokens) -> Result<Vec<Sort>, String> {
        if tokens.next() != Some(Token::Open) {
            return Err("sorts expected".into());
        }
        let mut sorts = Vec::new();
        let mut wrong = None;
        while tokens.peek().is_some_and(|token| token != Token::Close) {
            match self.sort(tokens) {
                Ok(sort) => sorts.push(sort),
                Err(why) => wrong = Some(why),
            }
        }
        tokens.next();
        wrong.map_or(Ok(sorts), Err)
    }

    /// Reads a sort. It is passed even if it is not covered.
    fn sort(&mut self, tokens: &mut Tokens) -> Result<Sort, String> {
        let mut ahead = tokens.clone();
        tokens.skip().ok_or("a sort expected")?;
        self.read_sort(&mut ahead, &[], 0)
    }

    fn read_sort(
        &self,
        tokens: &mut Tokens,
        bound: &[(&[u8], Sort)],
        depth: usize,
    ) -> Result<Sort, String> {
        if depth > MAX_DEPTH {
            return Err("sorts that nest this deep are not covered".into());
        }
        match tokens.next() {
            Some(Token::Open) => {}
            token => {
                let name = token.and_then(Token::name).ok_or("a sort expected")?;
                if let Some((_, sort)) = bound.iter().find(|(parameter, _)| *parameter == name) {
                    return Ok(sort.clone());
                }
                return self.named_sort(name, &[], depth);
            }
        }
        let head = tokens
            .next()
            .and_then(Token::name)
            .ok_or("a sort expected")?;
        if head == b"_" {
            let (name, width) = (tokens.next(), tokens.next());
            return match (name, width) {
                (Some(Token::Symbol(b"BitVec")), Some(Token::Numeral(digits))) => {
                    let width = small(digits).filter(|width| (1..=MAX_WIDTH).contains(width));
                    let width = width.ok_or("bit-vectors of this width are not covered")?;
                    match tokens.next() {
                        Some(Token::Close) => Ok(Sort::BitVec(width as u32)),
                        _ => Err("')' expected".into()),
                    }
                }
                (Some(Token::Symbol(name)), _) => Err(not_covered("the sort", name)),
                _ => Err("a sort expected".into()),
            };
        }
        let mut args = Vec::new();
        while tokens.peek().is_some_and(|token| token != Token::Close) {
            args.push(self.read_sort(tokens, bound, depth + 1)?);
        }
        tokens.next();
        self.named_sort(head, &args, depth)
    }

    fn named_sort(&self, name: &[u8], args: &[Sort], depth: usize) -> Result<Sort, String> {
        if let Some(entry) = self.sorts.get(name) {
            if let Some(symbol) = entry.declared {
                return Ok(Sort::Declared(symbol));
            }
            if entry.parameters.len() != args.len() {
                return Err("a sort with other parameters".into());
            }
            let names = entry.parameters.iter().map(|name| &name[..]);
            let bound: Vec<(&[u8], Sort)> = names.zip(args.iter().cloned()).collect();
            return self.read_sort(&mut Tokens::new(&entry.text), &bound, depth + 1);
        }
        match (name, args) {
            (b"Bool", []) => Ok(Sort::Bool),
            (b"Int", []) => Ok(Sort::Int),
            (b"Real", []) => Ok(Sort::Real),
            (b"Array", [index, element]) => Ok(Sort::array(index.clone(), element.clone())),
            _ => Err(not_covered("the sort", name)),
        }
    }

    // Terms.

    /// A formula, or why it is not covered. It is passed either way.
    fn formula(&mut self, tokens: &mut Tokens) -> Assertion {
        let mut ahead = tokens.clone();
        if tokens.skip().is_none() {
            return Err("a term expected".into());
        }
        let term = self.term(&mut ahead, Scope::default())?;
        match self.terms.sort(term) {
            Sort::Bool => Ok(term),
            _ => Err("no formula".into()),
        }
    }

    fn coerced(&mut self, term: Term, wanted: &Sort) -> Term {
        match wanted {
            Sort::Real => to_real(&mut self.terms, term),
            _ => term,
        }
    }

    /// Reads a term, whose depth costs memory only.
    fn term(&mut self, tokens: &mut Tokens, mut scope: Scope) -> Result<Term, String> {
        let mut frames: Vec<Frame> = Vec::new();
        loop {
            let token = tokens.next().ok_or("a term expected")?;
            let mut value = match token {
                Token::Symbol(name) | Token::Quoted(name) => self.constant(name, &scope)?,
                Token::Numeral(digits) => {
                    let value = digits_value(digits)?;
                    let real = self.real_numerals;
                    let sort = if real { Sort::Real } else { Sort::Int };
                    self.terms.number(sort, value)
                }
                Token::Decimal(digits) => {
                    let value = digits_value(digits)?;
                    self.terms.number(Sort::Real, value)
                }
                Token::Hex(digits) => self.literal(digits, 4, 16)?,
                Token::Binary(digits) => self.literal(digits, 1, 2)?,
                Token::Open => match self.open(tokens)? {
                    Opened::Frame(frame) => {
                        frames.push(frame);
                        continue;
                    }
                    Opened::Constant(term) => term,
                },
                Token::Close => {
                    let frame = frames.pop().ok_or("a term expected")?;
                    self.applied(frame)?
                }
                Token::Text | Token::Keyword(_) => return Err("a term expected".into()),
            };
            // The value goes to what is open around it.
            loop {
                let Some(frame) = frames.last_mut() else {
                    return Ok(value);
                };
                match &mut frame.head {
                    Head::Bindings(names) => {
                        frame.args.push(value);
                        close(tokens)?;
                        match tokens.next() {
                            Some(Token::Open) => names.push(name(tokens)?),
                            Some(Token::Close) => {
                                let names = std::mem::take(names);
                                let count = names.len();
                                for (name, &term) in names.into_iter().zip(&frame.args) {
                                    scope.bind(name, term);
                                }
                                frame.head = Head::Body(count);
                            }
                            _ => return Err("a binding expected".into()),
                        }
                        break;
                    }
                    &mut Head::Body(count) => {
                        close(tokens)?;
                        scope.unbind(count);
                        frames.pop();
                    }
                    Head::Annotated => {
                        self.attributes(tokens, value)?;
                        frames.pop();
                    }
                    Head::As => {
                        let sort = self.sort(tokens)?;
                        close(tokens)?;
                        value = self.coerced(value, &sort);
                        if *self.terms.sort(value) != sort {
                            return Err("a term of another sort".into());
                        }
                        frames.pop();
                    }
                    _ => {
                        frame.args.push(value);
                        break;
                    }
                }
            }
        }
    }

    fn constant(&mut self, name: &[u8], scope: &Scope) -> Result<Term, String> {
        if let Some(term) = scope.find(name) {
            return Ok(term);
        }
        match self.names.get(name).map(|entry| &entry.meaning) {
            Some(&Meaning::Term(term)) => Ok(term),
            Some(Meaning::Missing(why)) => Err(why.to_string()),
            Some(_) => Err("a function without arguments".into()),
            None => match name {
                b"true" => Ok(self.terms.truth(true)),
                b"false" => Ok(self.terms.truth(false)),
                _ => Err(not_covered("the constant", name)),
            },
        }
    }

    fn literal(&mut self, digits: &[u8], bits: usize, radix: u32) -> Result<Term, String> {
        let width = (digits.len() * bits) as u64;
        if !(1..=MAX_WIDTH).contains(&width) {
            return Err("bit-vectors of this width are not covered".into());
        }
        let text = std::str::from_utf8(digits).unwrap_or_default();
        let value = UBig::from_str_radix(text, radix).map_err(|_| "digits expected")?;
        Ok(self.terms.bits(width as u32, value))
    }

    /// What a parenthesis opens: an application, or a whole constant such as `(_ bv1 8)`.
    fn open<'a>(&mut self, tokens: &mut Tokens<'a>) -> Result<Opened<'a>, String> {
        let frame = |head| Ok(Opened::Frame(Frame::new(head)));
        match tokens.next() {
            Some(Token::Symbol(b"let")) => {
                if tokens.next() != Some(Token::Open) {
                    return Err("bindings expected".into());
                }
                match tokens.next() {
                    Some(Token::Open) => frame(Head::Bindings(vec![name(tokens)?])),
                    Some(Token::Close) => frame(Head::Body(0)),
                    _ => Err("bindings expected".into()),
                }
            }
            Some(Token::Symbol(b"!")) => frame(Head::Annotated),
            Some(Token::Symbol(b"as")) => frame(Head::As),
            Some(Token::Symbol(b"_")) => {
                let (name, indices) = indexed(tokens)?;
                match (name.strip_prefix(b"bv"), &indices[..]) {
                    (Some(digits), &[width]) if digits.iter().all(u8::is_ascii_digit) => {
                        let text = std::str::from_utf8(digits).unwrap_or_default();
                        let value =
                            UBig::from_str_radix(text, 10).map_err(|_| "digits expected")?;
                        let fits = (1..=MAX_WIDTH).contains(&width.into())
                            && value.clone() >> width as usize == UBig::ZERO;
                        if !fits {
                            return Err("a number that does not fit in its width".into());
                        }
                        Ok(Opened::Constant(self.terms.bits(width, value)))
                    }
                    _ => Err(not_covered("the constant", name)),
                }
            }
            Some(Token::Symbol(name)) if matches!(name, b"forall" | b"exists" | b"match") => {
                Err(not_covered("the binder", name))
            }
            Some(Token::Symbol(name) | Token::Quoted(name)) => {
                frame(Head::Function(name, Vec::new()))
            }
            Some(Token::Open) => match tokens.next() {
                Some(Token::Symbol(b"_")) => {
                    let (name, indices) = indexed(tokens)?;
                    frame(Head::Function(name, indices))
                }
                Some(Token::Symbol(b"as")) => {
                    let function = tokens.next().and_then(Token::name);
                    let function = function.ok_or("a function expected")?;
                    let sort = self.sort(tokens)?;
                    close(tokens)?;
                    match function {
                        b"const" => frame(Head::ConstArray(sort)),
                        _ => frame(Head::Function(function, Vec::new())),
                    }
                }
                _ => Err("a function expected".into()),
            },
            _ => Err("a function expected".into()),
        }
    }

    fn applied(&mut self, mut frame: Frame) -> Result<Term, String> {
        match frame.head {
            Head::ConstArray(sort) => {
                let Sort::Array(sorts) = &sort else {
                    return Err("the sort of an array expected".into());
                };
                match frame.args[..] {
                    [element] if *self.terms.sort(element) == sorts.1 => {
                        Ok(self.terms.make(Op::ConstArray, &[element], sort))
                    }
                    _ => Err("an element expected".into()),
                }
            }
            Head::Function(name, indices) => {
                let meaning = match indices[..] {
                    [] => self.names.get(name).map(|entry| entry.meaning.clone()),
                    _ => None,
                };
                match meaning {
                    Some(Meaning::Function(symbol, sorts, result)) => {
                        self.fit(&mut frame.args, &sorts)?;
                        Ok(self.terms.make(Op::Apply(symbol), &frame.args, result))
                    }
                    Some(Meaning::Definition(sorts, body)) => {
                        self.fit(&mut frame.args, &sorts)?;
                        Ok(self.instantiate(body, &frame.args))
                    }
                    Some(Meaning::Missing(why)) => Err(why.to_string()),
                    Some(Meaning::Term(_)) => Err("a constant with arguments".into()),
                    None => builtin::apply(&mut self.terms, name, &indices, &mut frame.args),
                }
            }
            _ => Err("a term expected".into()),
        }
    }

    /// Makes arguments fit parameters.
    fn fit(&mut self, args: &mut [Term], sorts: &[Sort]) -> Result<(), String> {
        if args.len() != sorts.len() {
            return Err("a function with other parameters".into());
        }
        for (arg, sort) in args.iter_mut().zip(sorts) {
            *arg = self.coerced(*arg, sort);
            if self.terms.sort(*arg) != sort {
                return Err("an argument of another sort".into());
            }
        }
        Ok(())
    }

    /// The body of a definition with arguments in the place of parameters.
    fn instantiate(&mut self, body: Term, args: &[Term]) -> Term {
        let mut done: FxHashMap<Term, Term> = FxHashMap::default();
        let mut stack = vec![body];
        while let Some(&term) = stack.last() {
            if done.contains_key(&term) {
                stack.pop();
                continue;
            }
            if let Op::Parameter(place) = *self.terms.op(term) {
                done.insert(term, args[place as usize]);
                continue;
            }
            let waiting = self
                .terms
                .args(term)
                .iter()
                .filter(|arg| !done.contains_key(arg));
            let before = stack.len();
            stack.extend(waiting.copied());
            if stack.len() > before {
                continue;
            }
            let args: Vec<Term> = self.terms.args(term).iter().map(|arg| done[arg]).collect();
            let (op, sort) = (self.terms.op(term).clone(), self.terms.sort(term).clone());
            done.insert(term, self.terms.make(op, &args, sort));
        }
        done[&body]
    }

    /// The attributes of `(! t …)`, up to its parenthesis. A term that is named is known by that name from here on.
    fn attributes(&mut self, tokens: &mut Tokens, term: Term) -> Result<(), String> {
        loop {
            match tokens.next() {
                Some(Token::Close) => return Ok(()),
                Some(Token::Keyword(b"named")) => {
                    let name = name(tokens)?;
                    self.give_meaning(name, Meaning::Term(term))?;
                }
                Some(Token::Keyword(_)) => {
                    if !matches!(tokens.peek(), Some(Token::Keyword(_) | Token::Close)) {
                        tokens.skip().ok_or("an attribute expected")?;
                    }
                }
                _ => return Err("an attribute expected".into()),
            }
        }
    }
}

fn restore<T>(
    map: &mut FxHashMap<Vec<u8>, T>,
    replaced: impl DoubleEndedIterator<Item = (Vec<u8>, Option<T>)>,
) {
    for (name, before) in replaced.rev() {
        match before {
            Some(entry) => map.insert(name, entry),
            None => map.remove(&name),
        };
    }
}

/// What is being read.
enum Head<'a> {
    Function(&'a [u8], Vec<u32>),
    ConstArray(Sort),
    Annotated,
    As,
    Bindings(Vec<Vec<u8>>),
    /// So many names are bound.
    Body(usize),
}

struct Frame<'a> {
    head: Head<'a>,
    args: Vec<Term>,
}

impl<'a> Frame<'a> {
    fn new(head: Head<'a>) -> Frame<'a> {
        Frame {
            head,
            args: Vec::new(),
        }
    }
}

enum Opened<'a> {
    Frame(Frame<'a>),
    Constant(Term),
}

/// What `let` and parameters bind.
#[derive(Default)]
struct Scope {
    bound: FxHashMap<Vec<u8>, Vec<Term>>,
    order: Vec<Vec<u8>>,
}

impl Scope {
    fn bind(&mut self, name: Vec<u8>, term: Term) {
        self.bound.entry(name.clone()).or_default().push(term);
        self.order.push(name);
    }

    fn unbind(&mut self, count: usize) {
        for name in self.order.drain(self.order.len() - count..) {
            if let Some(terms) = self.bound.get_mut(&name) {
                terms.pop();
            }
        }
    }

    fn find(&self, name: &[u8]) -> Option<Term> {
        self.bound.get(name)?.last().copied()
    }
}

fn not_covered(what: &str, name: &[u8]) -> String {
    format!("{what} '{}' is not covered", String::from_utf8_lossy(name))
}

fn name(tokens: &mut Tokens) -> Result<Vec<u8>, String> {
    let name = tokens.next().and_then(Token::name);
    Ok(name.ok_or("a symbol expected")?.to_vec())
}

fn close(tokens: &mut Tokens) -> Result<(), String> {
    match tokens.next() {
        Some(Token::Close) => Ok(()),
        _ => Err("')' expected".into()),
    }
}

/// The rest of `(_ f i …)`.
fn indexed<'a>(tokens: &mut Tokens<'a>) -> Result<(&'a [u8], Vec<u32>), String> {
    let name = tokens
        .next()
        .and_then(Token::name)
        .ok_or("a name expected")?;
    let mut indices = Vec::new();
    loop {
        match tokens.next() {
            Some(Token::Close) => return Ok((name, indices)),
            Some(Token::Numeral(digits)) => {
                let index = small(digits).and_then(|index| u32::try_from(index).ok());
                indices.push(index.ok_or("an index that is too large")?);
            }
            _ => return Err("a numeral expected".into()),
        }
    }
}

fn small(digits: &[u8]) -> Option<u64> {
    std::str::from_utf8(digits).ok()?.parse().ok()
}

/// How many levels; one if nothing is said.
fn levels(tokens: &mut Tokens) -> Result<u64, String> {
    match tokens.next() {
        Some(Token::Numeral(digits)) => {
            let count = small(digits).filter(|&count| count <= MAX_LEVELS);
            count.ok_or_else(|| "too many levels".into())
        }
        Some(Token::Close) => Ok(1),
        _ => Err("a numeral expected".into()),
    }
}

/// The number of a numeral or a decimal.
fn digits_value(digits: &[u8]) -> Result<RBig, String> {
    let text = std::str::from_utf8(digits).unwrap_or_default();
    let (whole, fraction) = text.split_once('.').unwrap_or((text, ""));
    let joined = format!("{whole}{fraction}");
    let number = UBig::from_str_radix(&joined, 10).map_err(|_| "digits expected")?;
    let scale = UBig::from(10u8).pow(fraction.len());
    Ok(RBig::from_parts(number.into(), scale))
}
