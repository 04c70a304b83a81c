//! Hashes of what is known by its contents: variables with all that their initial values point to, aliases, and
//! functions without a name that lasts.
//!
//! What is referred to is hashed first. Initial values may point in circles: then the hashes of a circle's members
//! (a strongly connected component, found as Tarjan does) are refined together, round by round, until no round tells
//! more of them apart; each ends up with its own place in the circle and with all of the others.

use rustc_hash::FxHashMap;

use super::encode::Encoder;
use super::{Node, Text, hash_of};
use crate::load::Linked;

/// Each round looks one reference further: more tell nothing apart that a program could.
const MOST_ROUNDS: usize = 64;

/// A definition whose component is not complete yet.
struct Open {
    node: Node,
    text: Text,
}

/// A definition whose references are being followed.
struct Visit {
    /// Its place among the open ones.
    place: usize,
    /// The first of the open ones that can be reached from it.
    lowest: usize,
    next: usize,
}

impl Linked {
    pub(super) fn contents_hash(&self, root: Node) -> u64 {
        if let Some(&known) = self.cache.contents.borrow().get(&root) {
            return known;
        }
        let mut open: Vec<Open> = Vec::new();
        let mut places: FxHashMap<Node, usize> = FxHashMap::default();
        let mut visits: Vec<Visit> = Vec::new();
        let mut enter = Some(root);
        loop {
            if let Some(node) = enter.take() {
                let place = open.len();
                places.insert(node, place);
                let text = Encoder::definition(self, node);
                open.push(Open { node, text });
                visits.push(Visit {
                    place,
                    lowest: place,
                    next: 0,
                });
            }
            let Some(visit) = visits.last_mut() else {
                break;
            };
            if let Some(&to) = open[visit.place].text.refs.get(visit.next) {
                visit.next += 1;
                if self.cache.contents.borrow().contains_key(&to) {
                    continue;
                }
                match places.get(&to) {
                    Some(&place) => visit.lowest = visit.lowest.min(place),
                    None => enter = Some(to),
                }
                continue;
            }
            let (place, lowest) = (visit.place, visit.lowest);
            visits.pop();
            if let Some(from) = visits.last_mut() {
                from.lowest = from.lowest.min(lowest);
            }
            if lowest == place {
                self.close(open.drain(place..).collect());
            }
        }
        self.cache.contents.borrow()[&root]
    }

    /// Hashes the members of a component; all they refer to otherwise is hashed.
    fn close(&self, members: Vec<Open>) {
        let mut known = self.cache.contents.borrow_mut();
        if let [only] = &members[..]
            && !only.text.refs.contains(&only.node)
        {
            let hash = only.text.hash(|node| known[&node]);
            known.insert(only.node, hash);
            return;
        }
        let places: FxHashMap<Node, usize> = members
            .iter()
            .enumerate()
            .map(|(place, member)| (member.node, place))
            .collect();
        let mut hashes = vec![0; members.len()];
        let mut apart = 0;
        for _ in 0..MOST_ROUNDS {
            let contents = |node: Node| match places.get(&node) {
                Some(&place) => hashes[place],
                None => known[&node],
            };
            let refined: Vec<u64> = members
                .iter()
                .map(|member| member.text.hash(contents))
                .collect();
            hashes = refined;
            let mut distinct = hashes.clone();
            distinct.sort_unstable();
            distinct.dedup();
            if distinct.len() <= apart {
                break;
            }
            apart = distinct.len();
        }
        let mut all = hashes.clone();
        all.sort_unstable();
        let whole = hash_of(all);
        for (member, hash) in members.iter().zip(hashes) {
            known.insert(member.node, hash_of([hash, whole]));
        }
    }
}
