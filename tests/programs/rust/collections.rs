//! Vectors, deques, maps, sets and heaps of the standard library.
use std::collections::{BTreeMap, BTreeSet, BinaryHeap, HashMap, HashSet, LinkedList, VecDeque};

fn main() {
    let mut v: Vec<i32> = (1..=10).collect();
    v.retain(|x| x % 3 != 0);
    v.insert(2, 100);
    v.swap(0, 1);
    v.extend_from_slice(&[7, 7, 8]);
    v.dedup();
    let tail = v.split_off(5);
    println!("{v:?} {tail:?} {:?} {:?}", v.first(), v.get(50));
    v.truncate(3);
    v.drain(1..2);
    println!("{v:?} {}", v.contains(&100));
    let mut d: VecDeque<_> = (0..5).collect();
    d.rotate_left(2);
    d.push_front(-1);
    println!("{d:?} {:?} {:?}", d.pop_back(), d.iter().rev().take(2).collect::<Vec<_>>());
    let mut b = BTreeMap::new();
    for (i, word) in "the quick brown fox jumps over the lazy dog the end".split(' ').enumerate() {
        b.entry(word).or_insert_with(Vec::new).push(i);
    }
    println!("{b:?}");
    println!("{:?} {:?}", b.range("f".."q").map(|(k, _)| *k).collect::<Vec<_>>(), b.last_key_value());
    let mut big = BTreeMap::new();
    for i in 0..500u32 {
        big.insert(i.wrapping_mul(2654435761) % 1000, i);
    }
    for i in (0..1000).step_by(3) {
        big.remove(&i);
    }
    println!("{} {:?} {}", big.len(), big.iter().nth(100), big.values().map(|&v| v as u64).sum::<u64>());
    let mut h = HashMap::new();
    for c in "mississippi".chars() {
        *h.entry(c).or_insert(0) += 1;
    }
    let mut counts: Vec<_> = h.iter().collect();
    counts.sort_by(|a, b| b.1.cmp(a.1).then(a.0.cmp(b.0)));
    println!("{counts:?} {}", h.contains_key(&'z'));
    let a: HashSet<i32> = (0..10).collect();
    let e: HashSet<i32> = (5..15).collect();
    let mut both: Vec<_> = a.intersection(&e).copied().collect();
    both.sort_unstable();
    println!("{both:?} {}", a.union(&e).count());
    let s: BTreeSet<_> = [5, 1, 9, 3].into_iter().collect();
    println!("{s:?} {:?}", s.range(2..).next());
    let mut heap = BinaryHeap::from(vec![3, 1, 4, 1, 5]);
    heap.push(2);
    print!("{:?} ", heap.peek());
    while let Some(x) = heap.pop() {
        print!("{x} ");
    }
    let mut l: LinkedList<&str> = LinkedList::new();
    l.push_back("b");
    l.push_front("a");
    println!("{l:?}");
}
