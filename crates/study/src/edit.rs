//! Edits of scripts: the same questions as before, but for a few places.
//!
//! A variant has some constants changed, some assertions dropped and some asserted a second time with another
//! constant. It is as well-formed as the script: a constant keeps its sort, indices of operators and sorts stay, and
//! so does everything that has a name, because something else may use it. Where a script works on a stack, what it
//! asserts below is left alone: that is the setting of all its questions, such as constant tables, and a
//! contradiction there would answer every one of them. Answers may change, so what tells or asks about them
//! (`:status`, values, models, cores) is left out of every variant.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

use refrain_smtlib::lexer::{Kind, Lexer, Token};

use crate::random::Random;

/// Of so many assertions one is edited, on average, in each of the three ways; but at least one in some way.
const ASSERTIONS_PER_EDIT: usize = 100;

/// A script that variants are made of.
pub struct Editor<'a> {
    text: &'a [u8],
    /// What stays in variants.
    commands: Vec<Command>,
}

struct Command {
    range: Range<usize>,
    /// Of a kind that is edited.
    has_terms: bool,
    moves: Moves,
    /// An assertion, and nothing in it has a name.
    free: bool,
    /// The constants in assertions and assumptions.
    constants: Vec<Constant>,
}

/// What a command does to the assertion stack.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Moves {
    Push(u64),
    Pop(u64),
    Reset,
    Not,
}

#[derive(Clone)]
struct Constant {
    /// The digits that stand for the value.
    digits: Range<usize>,
    form: Form,
}

#[derive(Clone, Copy)]
enum Form {
    Hex,
    Binary,
    /// `(_ bv10 32)`
    Indexed {
        width: u32,
    },
    /// A number; of a decimal, what stands before the point.
    Number,
}

/// An edited script.
pub struct Variant {
    pub text: Vec<u8>,
    pub changed: usize,
    pub dropped: usize,
    pub added: usize,
}

impl<'a> Editor<'a> {
    /// Takes a script apart; says what is no SMT-LIB about it.
    pub fn new(text: &'a [u8]) -> Result<Editor<'a>, String> {
        let mut commands = Vec::new();
        let mut lexer = Lexer::new(text, 0);
        loop {
            let token = next(&mut lexer)?;
            match token.kind {
                Kind::End => {
                    leave_the_setting(&mut commands);
                    return Ok(Editor { text, commands });
                }
                Kind::Open => {
                    if let Some(command) = read_command(&mut lexer, token.at)? {
                        commands.push(command);
                    }
                }
                _ => return Err(format!("no command at byte {}", token.at)),
            }
        }
    }

    /// A variant of the script.
    pub fn variant(&self, random: &mut Random) -> Variant {
        let with_constants = self.places(|command| !command.constants.is_empty());
        let free = self.places(|command| command.free);
        let both = self.places(|command| command.free && !command.constants.is_empty());
        let most = (2 * free.len() / ASSERTIONS_PER_EDIT).max(2) as u64;

        let mut dropped = BTreeSet::new();
        for _ in 0..random.within(0, most) {
            dropped.extend(random.pick(&free));
        }
        let mut changed = BTreeMap::new();
        for _ in 0..random.within(1, most) {
            if let Some((place, constant)) = self.pick_constant(&with_constants, random) {
                changed
                    .entry(place)
                    .or_insert_with(|| self.with_another(place, constant, random));
            }
        }
        let mut added = BTreeMap::new();
        for _ in 0..random.within(0, most) {
            if let Some((place, constant)) = self.pick_constant(&both, random) {
                added
                    .entry(place)
                    .or_insert_with(|| self.with_another(place, constant, random));
            }
        }
        self.put_together(&dropped, &changed, &added)
    }

    fn places(&self, which: impl Fn(&Command) -> bool) -> Vec<usize> {
        let places = 0..self.commands.len();
        places
            .filter(|&place| which(&self.commands[place]))
            .collect()
    }

    fn pick_constant(&self, places: &[usize], random: &mut Random) -> Option<(usize, &Constant)> {
        let place = *random.pick(places)?;
        let constant = random.pick(&self.commands[place].constants)?;
        Some((place, constant))
    }

    /// The text of a command with another value in place of one of its constants.
    fn with_another(&self, place: usize, constant: &Constant, random: &mut Random) -> Vec<u8> {
        let command = &self.commands[place].range;
        let digits = &self.text[constant.digits.clone()];
        let digits = another_value(&String::from_utf8_lossy(digits), constant.form, random);
        [
            &self.text[command.start..constant.digits.start],
            digits.as_bytes(),
            &self.text[constant.digits.end..command.end],
        ]
        .concat()
    }

    fn put_together(
        &self,
        dropped: &BTreeSet<usize>,
        changed: &BTreeMap<usize, Vec<u8>>,
        added: &BTreeMap<usize, Vec<u8>>,
    ) -> Variant {
        let mut text = Vec::with_capacity(self.text.len());
        let mut line = |command: &[u8]| {
            text.extend_from_slice(command);
            text.push(b'\n');
        };
        for (place, command) in self.commands.iter().enumerate() {
            match changed.get(&place) {
                _ if dropped.contains(&place) => {}
                Some(edited) => line(edited),
                None => line(&self.text[command.range.clone()]),
            }
            if let Some(another) = added.get(&place) {
                line(another);
            }
        }
        let still_there = |place: &&usize| !dropped.contains(place);
        Variant {
            changed: changed.keys().filter(still_there).count(),
            dropped: dropped.len(),
            added: added.len(),
            text,
        }
    }
}

/// Takes what is asserted below the stack out of what is edited, if anything is asserted or assumed on it.
fn leave_the_setting(commands: &mut [Command]) {
    let mut depth = 0_u64;
    let mut below = Vec::new();
    let mut on_stack = false;
    for (place, command) in commands.iter().enumerate() {
        match command.moves {
            Moves::Push(levels) => depth = depth.saturating_add(levels),
            Moves::Pop(levels) => depth = depth.saturating_sub(levels),
            Moves::Reset => depth = 0,
            Moves::Not if command.has_terms && depth == 0 => below.push(place),
            Moves::Not => on_stack |= command.has_terms,
        }
    }
    if on_stack {
        for place in below {
            commands[place].free = false;
            commands[place].constants.clear();
        }
    }
}

fn next(lexer: &mut Lexer) -> Result<Token, String> {
    let token = lexer.next_token();
    token.map_err(|failure| format!("byte {}: {}", failure.at, failure.message))
}

/// Whether variants go without a command: it tells or asks about answers.
fn is_about_answers(name: &[u8], about: Option<&[u8]>) -> bool {
    match name {
        b"set-info" => about == Some(b"status"),
        b"get-value"
        | b"get-model"
        | b"get-assignment"
        | b"get-proof"
        | b"get-unsat-core"
        | b"get-unsat-assumptions"
        | b"get-info" => true,
        _ => false,
    }
}

/// Reads what follows the parenthesis that opens a command; `None` if variants go without it.
fn read_command(lexer: &mut Lexer, start: usize) -> Result<Option<Command>, String> {
    let name = next(lexer)?;
    let is_assertion = lexer.bytes(name) == b"assert";
    let has_terms = is_assertion || lexer.bytes(name) == b"check-sat-assuming";
    let mut reader = Reader::default();
    let mut about = None;
    let mut levels = 1;
    let mut token = name;
    let mut depth = 1;
    while depth > 0 {
        token = next(lexer)?;
        match token.kind {
            Kind::End => return Err(format!("the command at byte {start} does not end")),
            Kind::Open => depth += 1,
            Kind::Close => depth -= 1,
            Kind::Keyword if about.is_none() => about = Some(lexer.bytes(token)),
            Kind::Numeral if depth == 1 => levels = number(lexer.bytes(token)).unwrap_or(1),
            _ => {}
        }
        if has_terms && depth > 0 {
            reader.read(token, lexer.bytes(token));
        }
    }
    if is_about_answers(lexer.bytes(name), about) {
        return Ok(None);
    }
    Ok(Some(Command {
        range: start..token.end,
        has_terms,
        moves: match lexer.bytes(name) {
            b"push" => Moves::Push(levels),
            b"pop" => Moves::Pop(levels),
            b"reset" | b"reset-assertions" => Moves::Reset,
            _ => Moves::Not,
        },
        free: is_assertion && !reader.names_something,
        constants: reader.constants,
    }))
}

fn number<T: std::str::FromStr>(digits: &[u8]) -> Option<T> {
    std::str::from_utf8(digits).ok()?.parse().ok()
}

/// Finds the constants of terms, token by token.
#[derive(Default)]
struct Reader {
    constants: Vec<Constant>,
    names_something: bool,
    /// For each open parenthesis, whether it begins `(_ …`.
    indexed: Vec<bool>,
    before: Option<Kind>,
    /// The digits of `bv10`, if that was the token before.
    value: Option<Range<usize>>,
}

impl Reader {
    fn read(&mut self, token: Token, text: &[u8]) {
        let value = self.value.take();
        let indexed = self.indexed.last() == Some(&true);
        match token.kind {
            Kind::Open => self.indexed.push(false),
            Kind::Close => {
                self.indexed.pop();
            }
            Kind::Symbol if self.before == Some(Kind::Open) && text == b"_" => {
                if let Some(last) = self.indexed.last_mut() {
                    *last = true;
                }
            }
            Kind::Symbol if indexed => {
                let digits = text.strip_prefix(b"bv");
                let is_value = |digits: &&[u8]| {
                    !digits.is_empty() && digits.iter().all(|digit| digit.is_ascii_digit())
                };
                self.value = { digits.filter(is_value) }.map(|_| token.start + 2..token.end);
            }
            Kind::Numeral if indexed => {
                if let (Some(digits), Some(width)) = (value, number(text)) {
                    self.add(digits, Form::Indexed { width });
                }
            }
            // The value of an attribute.
            _ if self.before == Some(Kind::Keyword) => {}
            Kind::Keyword => self.names_something |= text == b"named",
            Kind::Hex if !indexed => self.add(token.start..token.end, Form::Hex),
            Kind::Binary if !indexed => self.add(token.start..token.end, Form::Binary),
            Kind::Numeral => self.add(token.start..token.end, Form::Number),
            Kind::Decimal => {
                let whole = text.iter().position(|&byte| byte == b'.');
                let whole = whole.unwrap_or(text.len());
                self.add(token.start..token.start + whole, Form::Number);
            }
            _ => {}
        }
        self.before = Some(token.kind);
    }

    fn add(&mut self, digits: Range<usize>, form: Form) {
        self.constants.push(Constant { digits, form });
    }
}

/// The digits of another value of the same sort; most often one close by, as edits of programs have it.
fn another_value(digits: &str, form: Form, random: &mut Random) -> String {
    match form {
        Form::Hex => {
            let (high, low) = digits.split_at(digits.len().saturating_sub(16));
            let value = u64::from_str_radix(low, 16).unwrap_or(0);
            let value = another_word(value, 4 * low.len() as u32, random);
            format!("{high}{value:0width$x}", width = low.len())
        }
        Form::Binary => {
            let (high, low) = digits.split_at(digits.len().saturating_sub(64));
            let value = u64::from_str_radix(low, 2).unwrap_or(0);
            let value = another_word(value, low.len() as u32, random);
            format!("{high}{value:0width$b}", width = low.len())
        }
        Form::Indexed { width } => {
            let value: u128 = digits.parse().unwrap_or(0);
            let low = another_word(value as u64, width.min(64), random);
            (value >> 64 << 64 | u128::from(low)).to_string()
        }
        Form::Number => {
            let value: u128 = digits.parse().unwrap_or(0);
            let step = u128::from(random.within(1, 8));
            // Never 0, which may be what something is divided by.
            let less = value.checked_sub(step).filter(|&less| less > 0);
            let less = less.filter(|_| random.below(2) == 0);
            less.unwrap_or_else(|| value.saturating_add(step))
                .to_string()
        }
    }
}

/// Another word of 1 to 64 bits.
fn another_word(value: u64, width: u32, random: &mut Random) -> u64 {
    let mask = u64::MAX >> (64 - width.clamp(1, 64));
    let moved = match random.below(6) {
        0 | 1 => value.wrapping_add(1),
        2 | 3 => value.wrapping_sub(1),
        4 => value.wrapping_add(random.within(2, 16)),
        _ => value ^ 1 << random.below(u64::from(width.clamp(1, 64))),
    };
    let moved = moved & mask;
    if moved == value & mask {
        (value ^ 1) & mask
    } else {
        moved
    }
}

#[cfg(test)]
mod tests {
    use std::io;

    use refrain_smtlib::{Config, Output, Session};
    use refrain_solver::select;

    use super::*;
    use crate::bundled;

    const EVERY_FORM: &str = r#"
(set-info :status sat)
(set-option :produce-models true)
(declare-const a (_ BitVec 8))
(declare-const |b 1| (_ BitVec 70))
(declare-const bv7 (_ BitVec 1))
(declare-const n Int)
(declare-const r Real)
(define-fun big () Bool (bvugt a #xf0)) ; (not a command
(assert (bvule a #xf1))
(push 1)
(assert (! (bvult a #x10) :named small))
(assert (= ((_ extract 7 0) |b 1|) ((_ rotate_left 3) a)))
(assert (bvult (_ bv5 70) |b 1|))
(assert (= |b 1| #b0000000000000000000000000000000000000000000000000000000000000000000001))
(assert (=> small (= bv7 #b1)))
(push 1)
(assert (and (< (* 3 n) 12) ((_ divisible 4) n) (= (mod n 2) 0)))
(assert (let ((|b 1| 2.5)) (< r |b 1|)))
(assert (not big))
(check-sat)
(get-value (a))
(echo "(assert (= a #x01))")
(check-sat-assuming ((= a #x0f)))
(get-info :reason-unknown)
(pop 1)
(check-sat)
(pop 1)
"#;

    /// Runs a script through the parser and the solver; how many errors it had, and how many checks.
    fn run(text: &[u8]) -> (u64, u64) {
        let solver = select::from_spec("native", &select::Options::default());
        let output = Output::new(Box::new(io::sink()), Box::new(io::sink()));
        let solver = solver.expect("the native solver is there");
        let mut session = Session::new(solver, Config::default(), output);
        session.run_script(text).expect("nothing is written");
        (session.outcome().errors, session.stats().checks)
    }

    #[test]
    fn variants_are_well_formed() {
        let mut scripts = vec![EVERY_FORM.as_bytes().to_vec()];
        scripts.extend(bundled().into_iter().map(|script| script.text));
        for script in &scripts {
            let (_, checks) = run(script);
            let editor = Editor::new(script).expect("a script");
            for seed in 0..60 {
                let variant = editor.variant(&mut Random::new(seed));
                let shown = String::from_utf8_lossy(&variant.text);
                assert_eq!(run(&variant.text), (0, checks), "seed {seed}:\n{shown}");
            }
        }
    }

    #[test]
    fn every_kind_of_edit_happens() {
        let editor = Editor::new(EVERY_FORM.as_bytes()).expect("a script");
        let untouched = editor.put_together(&BTreeSet::new(), &BTreeMap::new(), &BTreeMap::new());
        let untouched = String::from_utf8(untouched.text).expect("text");
        assert!(!untouched.contains("status") && !untouched.contains("get-"));
        let (mut changed, mut dropped, mut added) = (0, 0, 0);
        for seed in 0..100 {
            let variant = editor.variant(&mut Random::new(seed));
            let text = String::from_utf8(variant.text).expect("text");
            assert_ne!(text, untouched, "seed {seed}");
            let assertions = |text: &str| text.matches("\n(assert").count();
            assert_eq!(
                assertions(&text) + variant.dropped,
                assertions(&untouched) + variant.added
            );
            changed += variant.changed;
            dropped += variant.dropped;
            added += variant.added;
            // What has a name stays, and what is no assertion, or none on the stack.
            assert_eq!(text.matches("(assert (bvule a #xf1))").count(), 1);
            assert!(text.contains(":named small") && text.contains("(bvugt a #xf0)"));
            assert!(text.contains("(echo \"(assert (= a #x01))\")"));
        }
        assert!(changed > 50 && dropped > 50 && added > 50);
    }

    #[test]
    fn constants_change_within_their_sort() {
        let mut random = Random::new(3);
        for _ in 0..1000 {
            let hex = another_value("0f", Form::Hex, &mut random);
            assert!(hex.len() == 2 && hex != "0f");
            let wide = another_value("ffffffffffffffffffff", Form::Hex, &mut random);
            assert!(wide.len() == 20 && wide != "ffffffffffffffffffff");
            assert_eq!(another_value("1", Form::Binary, &mut random), "0");
            let three = another_value("7", Form::Indexed { width: 3 }, &mut random);
            assert!(three.parse::<u8>().is_ok_and(|value| value < 7));
            let number = another_value("1", Form::Number, &mut random);
            assert!(number.parse::<u64>().is_ok_and(|value| value > 1));
        }
    }

    #[test]
    fn the_same_seed_gives_the_same_variant() {
        let editor = Editor::new(EVERY_FORM.as_bytes()).expect("a script");
        let text = |seed| editor.variant(&mut Random::new(seed)).text;
        assert_eq!(text(5), text(5));
        assert_ne!(text(5), text(6));
    }

    #[test]
    fn what_is_no_script_is_refused() {
        for text in ["(assert", "check-sat", "(check-sat))", "(echo \"a)", "|a"] {
            assert!(Editor::new(text.as_bytes()).is_err(), "{text}");
        }
    }
}
