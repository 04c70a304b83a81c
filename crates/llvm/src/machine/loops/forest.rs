//! The loops of a function, one within the other.
//!
//! A loop is a strongly connected region: from each of its blocks one gets to all others within it. Its entries are the
//! blocks that are reached from outside. What is still strongly connected without the edges back to its entries are
//! the loops within it (Steensgaard 1993). For the loops of structured programs, which have one entry each, these are
//! the natural loops; gotos into loops are no exception.

/// A function's blocks, the first of which it starts with.
#[derive(Default)]
pub struct Blocks {
    pub successors: Vec<Vec<u32>>,
    /// Blocks that end with a return.
    pub returns: Vec<bool>,
}

#[derive(Debug)]
struct Loop {
    parent: Option<u32>,
    /// It has a way out to where the function can still return.
    has_way_out: bool,
}

#[derive(Debug)]
pub struct Forest {
    loops: Vec<Loop>,
    /// By block: the innermost loop around it.
    innermost: Vec<Option<u32>>,
    /// By block: the loop that it is an entry of.
    enters: Vec<Option<u32>>,
    /// By block: whether the function can return from there.
    can_return: Vec<bool>,
}

impl Forest {
    pub fn of(blocks: &Blocks) -> Forest {
        let count = blocks.successors.len();
        let mut predecessors = vec![Vec::new(); count];
        for (from, successors) in blocks.successors.iter().enumerate() {
            for &to in successors {
                predecessors[to as usize].push(from as u32);
            }
        }
        let starts: Vec<u32> = (0..count.min(1) as u32).collect();
        let is_reached = reach(&blocks.successors, starts);
        let ends = (0..count as u32).filter(|&block| blocks.returns[block as usize]);
        let mut forest = Forest {
            loops: Vec::new(),
            innermost: vec![None; count],
            enters: vec![None; count],
            can_return: reach(&predecessors, ends.collect()),
        };
        let all = (0..count as u32).filter(|&block| is_reached[block as usize]);
        let mut regions = vec![(all.collect::<Vec<u32>>(), None)];
        while let Some((region, parent)) = regions.pop() {
            for inner in forest.loops_within(blocks, &region) {
                let which = forest.loops.len() as u32;
                for &block in &inner {
                    forest.innermost[block as usize] = Some(which);
                }
                let is_inside = |block: u32| forest.innermost[block as usize] == Some(which);
                let is_outside = |block: u32| is_reached[block as usize] && !is_inside(block);
                let entries = inner.iter().copied().filter(|&block| {
                    block == 0 || predecessors[block as usize].iter().any(|&p| is_outside(p))
                });
                let entries: Vec<u32> = entries.collect();
                let mut ways_out = inner.iter().flat_map(|&b| &blocks.successors[b as usize]);
                let has_way_out =
                    ways_out.any(|&to| !is_inside(to) && forest.can_return[to as usize]);
                for block in entries {
                    forest.enters[block as usize] = Some(which);
                }
                forest.loops.push(Loop {
                    parent,
                    has_way_out,
                });
                regions.push((inner, Some(which)));
            }
        }
        forest
    }

    /// The largest strongly connected regions of some blocks, without edges to entries of the loops around them.
    /// (Tarjan 1972, with a stack of its own.)
    fn loops_within(&self, blocks: &Blocks, region: &[u32]) -> Vec<Vec<u32>> {
        const NEW: u32 = u32::MAX;
        let count = blocks.successors.len();
        let mut is_inside = vec![false; count];
        for &block in region {
            is_inside[block as usize] = true;
        }
        let edge = |to: u32| is_inside[to as usize] && self.enters[to as usize].is_none();
        let (mut order, mut lowest) = (vec![NEW; count], vec![0; count]);
        let mut is_open = vec![false; count];
        let (mut open, mut next, mut found) = (Vec::new(), 0, Vec::new());
        for &start in region {
            if order[start as usize] != NEW {
                continue;
            }
            let mut walk = vec![(start, 0)];
            while let Some(&mut (block, ref mut at)) = walk.last_mut() {
                let here = block as usize;
                if *at == 0 {
                    order[here] = next;
                    lowest[here] = next;
                    next += 1;
                    open.push(block);
                    is_open[here] = true;
                }
                let successors = &blocks.successors[here];
                if let Some(&to) = successors.get(*at) {
                    *at += 1;
                    let there = to as usize;
                    if edge(to) && order[there] == NEW {
                        walk.push((to, 0));
                    } else if edge(to) && is_open[there] {
                        lowest[here] = lowest[here].min(order[there]);
                    }
                    continue;
                }
                walk.pop();
                if let Some(&(before, _)) = walk.last() {
                    let before = before as usize;
                    lowest[before] = lowest[before].min(lowest[here]);
                }
                if lowest[here] == order[here] {
                    let first = open.iter().rposition(|&known| known == block);
                    let closed = open.split_off(first.unwrap_or(0));
                    for &block in &closed {
                        is_open[block as usize] = false;
                    }
                    let is_loop = closed.len() > 1 || (edge(block) && successors.contains(&block));
                    if is_loop {
                        found.push(closed);
                    }
                }
            }
        }
        found
    }

    pub fn len(&self) -> usize {
        self.loops.len()
    }

    /// The loops that a block is in, from the inside out.
    pub fn around(&self, block: u32) -> impl Iterator<Item = u32> {
        let innermost = self.innermost.get(block as usize).copied().flatten();
        std::iter::successors(innermost, |&which| self.loops[which as usize].parent)
    }

    pub fn contains(&self, which: u32, block: u32) -> bool {
        self.around(block).any(|around| around == which)
    }

    /// The loop that one enters, or goes around, by going to a block.
    pub fn enters(&self, block: u32) -> Option<u32> {
        self.enters.get(block as usize).copied().flatten()
    }

    /// Whether going to a block leaves a loop: the program goes on behind it. A failed assertion, a panic or `exit` is
    /// no way out of a loop, unless it has no other.
    pub fn leaves(&self, which: u32, block: u32) -> bool {
        let goes_on = self.can_return.get(block as usize) == Some(&true);
        !self.contains(which, block) && (goes_on || !self.loops[which as usize].has_way_out)
    }
}

/// What can be reached from some blocks.
fn reach(next: &[Vec<u32>], from: Vec<u32>) -> Vec<bool> {
    let mut is_reached = vec![false; next.len()];
    let mut work = from;
    while let Some(block) = work.pop() {
        if !std::mem::replace(&mut is_reached[block as usize], true) {
            work.extend(&next[block as usize]);
        }
    }
    is_reached
}

#[cfg(test)]
mod tests {
    use super::*;

    fn forest(edges: &[&[u32]], returns: &[usize]) -> Forest {
        Forest::of(&Blocks {
            successors: edges.iter().map(|to| to.to_vec()).collect(),
            returns: (0..edges.len()).map(|at| returns.contains(&at)).collect(),
        })
    }

    fn around(forest: &Forest, block: u32) -> usize {
        forest.around(block).count()
    }

    #[test]
    fn loops_within_loops() {
        // 1 is a while loop around 2, one that tests at its end, and 3; 4 goes around itself.
        let forest = forest(&[&[1], &[2, 4], &[2, 3], &[1], &[4, 5], &[]], &[5]);
        assert_eq!(forest.len(), 3);
        let depths = (0..6).map(|block| around(&forest, block));
        assert_eq!(depths.collect::<Vec<_>>(), [0, 1, 2, 1, 1, 0]);
        let outer = forest.enters(1).unwrap();
        let inner = forest.enters(2).unwrap();
        assert!(forest.around(2).eq([inner, outer]));
        assert!(forest.leaves(outer, 4) && !forest.leaves(outer, 3));
        assert!(forest.leaves(inner, 3) && !forest.leaves(inner, 2));
        assert_eq!(forest.enters(3), None);
    }

    #[test]
    fn two_ways_into_a_loop_are_two_entries_of_one() {
        let forest = forest(&[&[1, 2], &[2], &[1, 3], &[]], &[3]);
        assert_eq!(forest.len(), 1);
        assert_eq!((forest.enters(1), forest.enters(2)), (Some(0), Some(0)));
        assert!(forest.leaves(0, 3));
    }

    #[test]
    fn what_ends_the_program_is_no_way_out_unless_there_is_no_other() {
        // 3 is a failed assertion.
        let both = forest(&[&[1], &[2, 4], &[3, 1], &[], &[]], &[4]);
        assert!(both.leaves(0, 4) && !both.leaves(0, 3));
        let only = forest(&[&[1], &[2], &[3, 1], &[]], &[]);
        assert!(only.leaves(0, 3));
    }

    /// By the definition: which blocks get to which, with some blocks left out.
    fn reachable(blocks: &Blocks, from: u32, without: &[u32]) -> Vec<bool> {
        let next: Vec<Vec<u32>> = blocks.successors.clone();
        let next = next.into_iter().map(|to| {
            let kept = to.into_iter().filter(|block| !without.contains(block));
            kept.collect()
        });
        let next: Vec<Vec<u32>> = next.collect();
        reach(&next, next[from as usize].clone())
    }

    #[test]
    fn random_graphs_have_the_loops_of_the_definition() {
        let mut random = refrain_testing::Random::new(1);
        let mut below = |end: u64| random.below(end);
        let mut nested = 0;
        for _ in 0..5_000 {
            let count = 2 + below(8);
            let mut blocks = Blocks::default();
            for _ in 0..count {
                let to = (0..1 + below(3)).map(|_| below(count) as u32).collect();
                blocks.successors.push(to);
                blocks.returns.push(below(4) == 0);
            }
            let forest = Forest::of(&blocks);
            let mut is_reached = reachable(&blocks, 0, &[]);
            is_reached[0] = true;
            // All blocks of a loop get to each other without the entries of the loops around it; no other block does.
            for which in 0..forest.len() as u32 {
                let inside = |block: u32| forest.contains(which, block);
                let members: Vec<u32> = (0..count as u32).filter(|&block| inside(block)).collect();
                let outer: Vec<u32> = forest.around(members[0]).collect();
                let at = outer.iter().position(|&around| around == which).unwrap();
                nested += usize::from(outer.len() - at > 2);
                let without: Vec<u32> = (0..count as u32)
                    .filter(|&block| {
                        let enters = forest.enters(block);
                        enters.is_some_and(|enters| outer[at + 1..].contains(&enters))
                    })
                    .collect();
                let to = |from: u32| reachable(&blocks, from, &without);
                let region = to(members[0]);
                for block in 0..count as u32 {
                    let is_connected = is_reached[block as usize]
                        && region[block as usize]
                        && to(block)[members[0] as usize];
                    assert_eq!(is_connected, inside(block), "{:?}", blocks.successors);
                    let is_entered = (0..count as u32).any(|from| {
                        is_reached[from as usize]
                            && !inside(from)
                            && blocks.successors[from as usize].contains(&block)
                    });
                    let is_entry = inside(block) && (is_entered || block == 0);
                    assert_eq!(forest.enters(block) == Some(which), is_entry);
                }
            }
            // What gets back to itself is in a loop.
            for block in 0..count as u32 {
                let is_in_loop =
                    is_reached[block as usize] && reachable(&blocks, block, &[])[block as usize];
                assert_eq!(is_in_loop, around(&forest, block) > 0);
            }
        }
        assert!(nested > 20, "{nested}");
    }
}
