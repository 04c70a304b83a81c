//! Implication between atoms, as the tries ask for it: an atom implies another about the same subject if its values are
//! among the other's.

use refrain_path::{AtomId, AtomTable, SubjectId};

use crate::ltrie::Atoms;

/// They ask of atoms only that are [known](AtomTable::know).
impl Atoms for AtomTable {
    fn subject(&self, atom: AtomId) -> SubjectId {
        AtomTable::subject(self, atom)
    }

    fn implies(&self, a: AtomId, b: AtomId) -> bool {
        let (a, b) = (self.restriction(a), self.restriction(b));
        a.values.is_subset_of(&b.values)
    }

    fn rank(&self, atom: AtomId) -> u64 {
        u64::from(AtomTable::subject(self, atom).0) << 32 | u64::from(atom.0)
    }
}
