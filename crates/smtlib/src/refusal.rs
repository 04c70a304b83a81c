//! Refused commands, and what a check is worth after one.
//!
//! An error is an answer, and the session goes on after it. But where an assertion was refused, those in force are
//! fewer than the script's, and `sat` would be about another script. So nothing is checked while something is
//! missing: the answer is `unknown`, and the reason says what was refused first.
//!
//! What a refused command would have done is told by its first word, and by what looks like further commands inside
//! of it, where a parenthesis is missing or a string never ends. What cannot be told counts as an assertion does.

use refrain_solver::Reason;

use crate::error::{Failure, Place};
use crate::lexer::{Kind, Lexer, is_simple_symbol};

/// What later answers lack after a refused command; of several the greatest counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Loss<'a> {
    Nothing,
    /// Of this name. Assertions that use it are refused themselves, unless it means something else already.
    Declaration(&'a [u8]),
    /// Which of the models is wanted. That there are none remains true.
    Objective,
    /// It cannot be told; perhaps an assertion.
    Unclear,
    Assertion,
    /// The script and the session count different levels: what is popped next is not what the script means.
    Level,
}

impl Loss<'_> {
    /// The command, as reasons speak of it.
    fn command(self) -> &'static str {
        match self {
            Loss::Nothing | Loss::Unclear => "a command",
            Loss::Declaration(_) => "a declaration",
            Loss::Objective => "an objective",
            Loss::Assertion => "an assertion",
            Loss::Level => "a change of levels",
        }
    }
}

/// How long a refusal counts. What comes first lasts longer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Lasting {
    /// Until `reset`.
    Session,
    /// Until the assertions are reset, or fewer levels than this are left.
    Level(usize),
}

struct Refusal {
    lasting: Lasting,
    reason: String,
}

impl Refusal {
    fn reason(&self) -> Reason {
        Reason::Incomplete(self.reason.clone())
    }
}

/// What is missing from the assertions in force, and from what is to be found out about them. The refusal that lasts
/// longest stands for all.
#[derive(Default)]
pub struct Refusals {
    assertions: Option<Refusal>,
    objectives: Option<Refusal>,
}

impl Refusals {
    /// Something is missing from here on.
    pub fn note(&mut self, lasting: Lasting, loss: Loss, place: Place, failure: &Failure) {
        let longest = match loss {
            Loss::Objective => &mut self.objectives,
            _ => &mut self.assertions,
        };
        if longest
            .as_ref()
            .is_some_and(|known| known.lasting <= lasting)
        {
            return;
        }
        let unsupported = if failure.unsupported {
            " is not supported"
        } else {
            ""
        };
        let (command, message) = (loss.command(), &failure.message);
        *longest = Some(Refusal {
            lasting,
            reason: format!("{command} was refused: {place}: {message}{unsupported}"),
        });
    }

    /// Only so many levels are left.
    pub fn pop(&mut self, left: usize) {
        for longest in [&mut self.assertions, &mut self.objectives] {
            longest.take_if(|refusal| refusal.lasting > Lasting::Level(left));
        }
    }

    pub fn reset_assertions(&mut self) {
        for longest in [&mut self.assertions, &mut self.objectives] {
            longest.take_if(|refusal| refusal.lasting != Lasting::Session);
        }
    }

    /// Why nothing can be checked now, if so.
    pub fn reason(&self) -> Option<Reason> {
        self.assertions.as_ref().map(Refusal::reason)
    }

    /// Why `sat` would promise too much, if so.
    pub fn objective(&self) -> Option<Reason> {
        self.objectives.as_ref().map(Refusal::reason)
    }
}

/// What is lost with the command that this text begins with; it ends where the next command is looked for.
pub fn loss(text: &[u8]) -> Loss<'_> {
    let lexer = &mut Lexer::new(text, 0);
    // A word outside of parentheses is taken for the command that lost them.
    let Some(command) = next_word(lexer).or_else(|| next_word(lexer)) else {
        return Loss::Unclear;
    };
    let own = match command {
        b"assert" => Loss::Assertion,
        b"push" | b"reset" | b"reset-assertions" => Loss::Level,
        b"pop" if is_readable_pop(lexer.fork()) => Loss::Nothing,
        b"pop" => Loss::Level,
        b"declare-const" | b"declare-fun" | b"declare-sort" | b"define-const" | b"define-fun"
        | b"define-fun-rec" | b"define-sort" => {
            next_word(lexer).map_or(Loss::Unclear, Loss::Declaration)
        }
        b"assert-soft" | b"minimize" | b"maximize" => Loss::Objective,
        b"apply"
        | b"check-sat"
        | b"check-sat-assuming"
        | b"check-sat-using"
        | b"display"
        | b"echo"
        | b"eval"
        | b"exit"
        | b"help"
        | b"labels"
        | b"set-info"
        | b"set-logic"
        | b"set-option"
        | b"simplify" => Loss::Nothing,
        _ if command.starts_with(b"get-") => Loss::Nothing,
        _ => Loss::Unclear,
    };
    own.max(swallowed(&text[lexer.position()..]))
}

fn next_word<'a>(lexer: &mut Lexer<'a>) -> Option<&'a [u8]> {
    let token = lexer.next_token().ok()?;
    matches!(token.kind, Kind::Symbol | Kind::Quoted).then(|| lexer.bytes(token))
}

/// Whether a `pop` was refused only because there are not so many levels: nothing that counts is missing then.
fn is_readable_pop(mut lexer: Lexer) -> bool {
    let mut next_kind = || lexer.next_token().map(|token| token.kind);
    match next_kind() {
        Ok(Kind::Close) => true,
        Ok(Kind::Numeral) => matches!(next_kind(), Ok(Kind::Close)),
        _ => false,
    }
}

/// What is lost with the commands that a broken one seems to have swallowed.
fn swallowed(text: &[u8]) -> Loss<'static> {
    let opens = memchr::memchr_iter(b'(', text);
    let losses = opens.map(|open| {
        let inside = text[open + 1..].trim_ascii_start();
        let begins = |word: &&[u8]| inside.starts_with(word);
        // A longer word may be anything: `popcount`.
        let is = |word: &&[u8]| begins(word) && !inside.get(word.len()).is_some_and(is_in_symbol);
        if [&b"push"[..], b"pop", b"reset", b"reset-assertions"]
            .iter()
            .any(is)
        {
            Loss::Level
        } else if is(&&b"assert"[..]) {
            Loss::Assertion
        } else if [&b"declare-"[..], b"define-"].iter().any(begins) {
            Loss::Unclear
        } else {
            Loss::Nothing
        }
    });
    losses.max().unwrap_or(Loss::Nothing)
}

fn is_in_symbol(byte: &u8) -> bool {
    byte.is_ascii_digit() || is_simple_symbol(&[*byte])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_word_tells() {
        for (text, expected) in [
            ("(assert", Loss::Assertion),
            (" ; comment (push)\n ( assert p q)", Loss::Assertion),
            ("(|assert| p q)", Loss::Assertion),
            ("(asert p)", Loss::Unclear),
            ("(assert-soft p)", Loss::Objective),
            ("(apply simplify)", Loss::Nothing),
            ("(declare-datatypes ((T 0)) (((a))))", Loss::Unclear),
            ("(declare-const x String)", Loss::Declaration(b"x")),
            ("(define-fun |a b| () Bool y)", Loss::Declaration(b"a b")),
            ("(declare-fun (x) Bool)", Loss::Unclear),
            ("(check-sat foo)", Loss::Nothing),
            ("(get-proof)", Loss::Nothing),
            ("(push x)", Loss::Level),
            ("(push 99999999999999999999)", Loss::Level),
            ("(pop x)", Loss::Level),
            ("(pop 1 2)", Loss::Level),
            ("(pop 5)", Loss::Nothing),
            ("(pop)", Loss::Nothing),
            ("(reset-assertions now)", Loss::Level),
        ] {
            assert_eq!(loss(text.as_bytes()), expected, "{text}");
        }
    }

    #[test]
    fn what_cannot_be_told_counts() {
        for text in [
            ")",
            "()",
            "((x))",
            "foo",
            "5",
            "\"(check-sat)\"",
            "|x|",
            "{",
            "(#x",
        ] {
            assert_eq!(loss(text.as_bytes()), Loss::Unclear, "{text}");
        }
        assert_eq!(loss(b"assert"), Loss::Assertion, "this can be told");
        assert_eq!(loss(b"check-sat"), Loss::Nothing, "and this");
    }

    #[test]
    fn swallowed_commands_count() {
        for (text, expected) in [
            ("(check-sat (assert p))", Loss::Assertion),
            ("(check-sat (declare-const x Int))", Loss::Unclear),
            ("(echo \"a) (assert p) (echo \"b\")", Loss::Assertion),
            ("(get-value (x) (\n push 1))", Loss::Level),
            ("(assert (f x) (pop 1))", Loss::Level),
            ("(declare-const x (define-sort))", Loss::Unclear),
            ("(get-value ((asserted x)))", Loss::Nothing),
            ("(get-value ((popcount x) (pop2 x)))", Loss::Nothing),
        ] {
            assert_eq!(loss(text.as_bytes()), expected, "{text}");
        }
    }

    #[test]
    fn the_refusal_that_lasts_longest_counts() {
        let place = Place { line: 1, column: 1 };
        let note = |refusals: &mut Refusals, lasting| {
            let failure = Failure::new(0, format!("{lasting:?}"));
            refusals.note(lasting, Loss::Assertion, place, &failure);
        };
        let shown = |refusals: &Refusals| refusals.reason().map(|reason| reason.to_string());
        let said = |lasting: &str| {
            Some(format!(
                "incomplete: an assertion was refused: line 1 column 1: {lasting}"
            ))
        };
        let mut refusals = Refusals::default();
        note(&mut refusals, Lasting::Level(2));
        note(&mut refusals, Lasting::Level(3));
        refusals.pop(2);
        assert_eq!(shown(&refusals), said("Level(2)"));
        refusals.pop(1);
        assert_eq!(shown(&refusals), None);
        note(&mut refusals, Lasting::Level(1));
        note(&mut refusals, Lasting::Level(0));
        refusals.pop(0);
        assert_eq!(shown(&refusals), said("Level(0)"));
        note(&mut refusals, Lasting::Session);
        refusals.reset_assertions();
        assert_eq!(shown(&refusals), said("Session"));
    }
}
