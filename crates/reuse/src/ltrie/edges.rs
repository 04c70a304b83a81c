//! The edges out of the nodes of a trie, those of a node one after the other.

use super::signature::Signature;
use super::trie::NONE;

/// An edge: the first label of the child's segment, the child, and its signature, which saves looking at the child.
#[derive(Clone, Copy, Debug)]
pub(super) struct Edge {
    pub label: u32,
    pub child: u32,
    pub signature: Signature,
}

/// Slices of edges of 1, 2, 4, 8, … in one vector. A slice that outgrows its place moves, and leaves it to others of
/// its size.
#[derive(Default, Debug)]
pub(super) struct EdgePool {
    edges: Vec<Edge>,
    vacant: [Vec<u32>; 32],
}

impl EdgePool {
    fn class(fan: u32) -> usize {
        fan.next_power_of_two().trailing_zeros() as usize
    }

    pub fn slice(&self, start: u32, fan: u32) -> &[Edge] {
        &self.edges[start as usize..][..fan as usize]
    }

    pub fn slice_mut(&mut self, start: u32, fan: u32) -> &mut [Edge] {
        &mut self.edges[start as usize..][..fan as usize]
    }

    fn place(&mut self, class: usize) -> u32 {
        self.vacant[class].pop().unwrap_or_else(|| {
            let start = self.edges.len();
            let blank = Edge {
                label: NONE,
                child: NONE,
                signature: Signature::EMPTY,
            };
            self.edges.resize(start + (1 << class), blank);
            start as u32
        })
    }

    pub fn release(&mut self, start: u32, fan: u32) {
        if fan > 0 {
            self.vacant[Self::class(fan)].push(start);
        }
    }

    fn relocate(&mut self, start: &mut u32, fan: u32, class: usize) {
        let to = self.place(class);
        let from = *start as usize;
        self.edges
            .copy_within(from..from + fan as usize, to as usize);
        *start = to;
    }

    pub fn push(&mut self, start: &mut u32, fan: &mut u32, edge: Edge) {
        if *fan == 0 {
            *start = self.place(0);
        } else if fan.is_power_of_two() {
            let former = *start;
            self.relocate(start, *fan, Self::class(*fan + 1));
            self.release(former, *fan);
        }
        self.edges[*start as usize + *fan as usize] = edge;
        *fan += 1;
    }

    pub fn swap_remove(&mut self, start: &mut u32, fan: &mut u32, at: usize) {
        let last = *fan as usize - 1;
        self.edges
            .swap(*start as usize + at, *start as usize + last);
        let (former, former_fan) = (*start, *fan);
        *fan -= 1;
        if *fan == 0 {
            self.release(former, former_fan);
        } else if fan.is_power_of_two() {
            self.relocate(start, *fan, Self::class(*fan));
            self.release(former, former_fan);
        }
    }

    pub fn bytes(&self) -> usize {
        let vacant: usize = self.vacant.iter().map(|places| places.capacity() * 4).sum();
        self.edges.capacity() * size_of::<Edge>() + vacant
    }
}
