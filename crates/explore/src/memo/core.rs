//! The core of an infeasible choice: which conditions of the path it conflicts with. Each is counted from the end of
//! the path, so that what happens often is the same bytes everywhere.

use refrain_term::Term;

use super::encode::{Reader, number};

/// A core as bytes: the distances between its conditions, the last one first. None if it is the whole path: that needs
/// not be said.
pub(crate) fn core_bytes(
    conflict: &[Term],
    conditions_backwards: impl Iterator<Item = Term>,
) -> Option<Vec<u8>> {
    let mut bytes = Vec::new();
    let mut is_found = vec![false; conflict.len()];
    let (mut distance, mut is_whole) = (0, true);
    for condition in conditions_backwards {
        distance += 1;
        if let Some(place) = conflict.iter().position(|&term| term == condition) {
            number(&mut bytes, distance);
            distance = 0;
            is_found[place] = true;
        } else {
            is_whole = false;
        }
        // Paths are long, and cores mostly near their ends.
        if !is_whole && is_found.iter().all(|&is_found| is_found) {
            break;
        }
    }
    (!is_whole).then_some(bytes)
}

/// The conditions of a core among those of its path.
pub(crate) fn conditions_of(core: &[u8], path: &[Term]) -> Option<Vec<Term>> {
    let mut reader = Reader(core);
    let (mut at, mut conditions) = (path.len(), Vec::new());
    while !reader.0.is_empty() {
        let distance = usize::try_from(reader.number()?).ok()?;
        at = at.checked_sub(distance).filter(|_| distance > 0)?;
        conditions.push(path[at]);
    }
    Some(conditions)
}

#[cfg(test)]
mod tests {
    use super::*;
    use refrain_term::{Sort, Terms};

    #[test]
    fn cores_read_back() {
        let mut terms = Terms::new();
        let path: Vec<Term> = (0..300)
            .map(|at| terms.var(&format!("c{at}"), Sort::Bool))
            .collect();
        for chosen in [&[][..], &[299], &[0], &[3, 150, 298], &[0, 1, 2]] {
            let mut conflict: Vec<Term> = chosen.iter().map(|&at| path[at]).collect();
            let core = core_bytes(&conflict, path.iter().rev().copied());
            let core = core.expect("less than the path");
            assert_eq!(
                conditions_of(&core, &path).map(|mut read| {
                    read.reverse();
                    read
                }),
                Some(conflict.clone())
            );
            conflict.push(Term::TRUE);
            assert_eq!(
                core_bytes(&conflict, path.iter().rev().copied()),
                Some(core)
            );
        }
        // A condition may hold twice on a path.
        let twice = [5, 2, 4, 2, 2, 3].map(|at| path[at]);
        let core = core_bytes(&[path[2], path[4]], twice.into_iter().rev());
        let core = conditions_of(&core.expect("less than the path"), &twice);
        assert_eq!(core, Some([2, 2, 4].map(|at| path[at]).to_vec()));
        assert_eq!(core_bytes(&path, path.iter().rev().copied()), None);
        assert_eq!(conditions_of(&[0], &path), None);
        assert_eq!(conditions_of(&[200, 200], &path[..10]), None);
    }
}
