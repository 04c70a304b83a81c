//! A question of the machine in the words of the path condition.

use refrain_machine::Ask;
use refrain_memo::{AskKind, Question};
use refrain_term::{Term, Terms, Value};

use super::Difference;
use super::path::Path;
use crate::memo::encode::{value_bytes, value_of};
use crate::trail::Decision;

pub(super) struct Asked {
    /// What the tree has the hash of.
    pub conditions: Vec<Term>,
    /// What each alternative adds to the path condition.
    pub alternatives: Vec<(Decision, Term)>,
}

impl Asked {
    /// What is asked, if it is what the tree says.
    pub fn new(
        terms: &mut Terms,
        path: &Path,
        ask: &Ask,
        question: &Question<'_>,
    ) -> Result<Asked, Difference> {
        match (ask, question.kind, question.value) {
            (Ask::Choose(conditions), AskKind::Choose(count), None)
                if conditions.len() == count as usize =>
            {
                let possible = conditions.iter().filter(|&&term| term != Term::FALSE);
                let choices = (0..).map(Decision::Choice);
                Ok(Asked {
                    conditions: possible.copied().collect(),
                    alternatives: choices.zip(conditions.iter().copied()).collect(),
                })
            }
            (&Ask::Assume(condition), AskKind::Assume, None) => Ok(Asked {
                conditions: vec![condition],
                alternatives: vec![
                    (Decision::Assumed(true), condition),
                    (Decision::Assumed(false), Term::TRUE),
                ],
            }),
            (&Ask::Witness(term), AskKind::Witness, Some(value)) => {
                let value = value_for(terms, term, value)?;
                Ok(Asked {
                    conditions: vec![term],
                    alternatives: vec![(Decision::Witness(value), Term::TRUE)],
                })
            }
            (&Ask::Fix(term), AskKind::Fix, Some(value))
            | (&Ask::Sample(term), AskKind::Sample, Some(value)) => {
                let value = value_for(terms, term, value)?;
                Ok(Asked::value_or_others(terms, path, term, value))
            }
            _ => Err(Difference::OtherQuestion),
        }
    }

    fn value_or_others(terms: &mut Terms, path: &Path, term: Term, value: Value) -> Asked {
        let constant = terms.of_value(&value);
        let equal = terms.eq(term, constant);
        let (conditions, added) = match path.has(equal) {
            true => (vec![term], [Term::TRUE, Term::FALSE]),
            false => {
                let both = [equal, terms.not(equal)];
                (both.to_vec(), both)
            }
        };
        let decisions = [Decision::Fixed(value.clone()), Decision::Other(value)];
        Asked {
            conditions,
            alternatives: decisions.into_iter().zip(added).collect(),
        }
    }
}

/// The value that bytes stand for, if a term can have it.
fn value_for(terms: &Terms, term: Term, bytes: &[u8]) -> Result<Value, Difference> {
    let value = value_of(bytes).filter(|value| {
        value.sort() == terms.sort(term) && value_bytes(value).as_deref() == Some(bytes)
    });
    value.ok_or(Difference::OtherValue)
}

/// The choice that the path condition leaves alone.
pub(super) fn implied_choice(path: &Path, ask: &Ask) -> Option<u32> {
    let conditions = match ask {
        Ask::Choose(conditions) => &conditions[..],
        Ask::Assume(condition) => std::slice::from_ref(condition),
        Ask::Witness(_) | Ask::Fix(_) | Ask::Sample(_) => return None,
    };
    let choice = conditions.iter().position(|&condition| path.has(condition));
    choice.map(|choice| choice as u32)
}
