//! Slices: sorting in all ways, searching, rotating, splitting, filling, and sorts written out.
fn quick<T: PartialOrd + Clone>(v: &[T]) -> Vec<T> {
    match v { [] => vec![], [p, rest @ ..] => { let (l, r): (Vec<T>, Vec<T>) = rest.iter().cloned().partition(|x| x < p); [quick(&l), vec![p.clone()], quick(&r)].concat() } }
}
fn bubble(v: &mut [i32]) { for i in 0..v.len() { for j in 1..v.len() - i { if v[j - 1] > v[j] { v.swap(j - 1, j); } } } }
fn merge(v: &mut Vec<i32>) { if v.len() < 2 { return; } let mut r = v.split_off(v.len() / 2); merge(v); merge(&mut r); let l = std::mem::take(v); let (mut i, mut j) = (l.iter().peekable(), r.iter().peekable()); while let (Some(a), Some(b)) = (i.peek(), j.peek()) { v.push(if a <= b { *i.next().unwrap() } else { *j.next().unwrap() }); } v.extend(i); v.extend(j); }
fn main() {
    let mut seed = 12345u32;
    let base: Vec<i32> = (0..60).map(|_| { seed = seed.wrapping_mul(1664525).wrapping_add(1013904223); (seed >> 16) as i32 % 200 - 100 }).collect();
    let mut v = base.clone(); v.sort(); println!("{v:?}");
    let mut w = base.clone(); w.sort_unstable(); let mut b = base.clone(); bubble(&mut b); let mut m = base.clone(); merge(&mut m);
    println!("{} {} {} {}", v == w, v == b, v == m, v == quick(&base));
    let mut s = base.clone(); s.sort_by_key(|x| (x.abs() % 10, *x)); println!("{:?}", &s[..12]);
    let mut big: Vec<u64> = (0..2000u64).map(|i| i.wrapping_mul(0x9E3779B97F4A7C15) >> 40).collect(); big.sort_unstable(); println!("{} {}", big.is_sorted(), big[1000]);
    println!("{:?} {:?} {}", v.binary_search(&v[20].clone()).is_ok(), v.binary_search(&1000), v.partition_point(|x| *x < 0));
    let mut f = [2.5, -1.0, 9.75, 0.0]; f.sort_by(|a, b| b.partial_cmp(a).unwrap()); println!("{f:?}"); f.sort_by(f64::total_cmp); println!("{f:?}");
    let mut a = [1, 2, 3, 4, 5, 6, 7]; a.rotate_left(2); a[1..5].reverse(); a.swap(0, 6); println!("{a:?}"); let (l, r) = a.split_at_mut(3); l.copy_from_slice(&r[1..4]); r.fill(0); println!("{a:?}");
    let n = base.len(); let mut k = base.clone(); let (_, median, _) = k.select_nth_unstable(n / 2); println!("{median} {}", v[n / 2]);
    let mut words = vec!["delta", "Alpha", "charlie", "bravo"]; words.sort_by_key(|w| w.to_lowercase()); println!("{words:?}"); v.dedup_by_key(|x| *x / 10); println!("{v:?}");
    if let [first, .., last] = base[..] { println!("{first} {last}"); } println!("{:?} {:?}", base.iter().max_by_key(|x| x.abs()), base.chunk_by(|a, b| a < b).map(<[i32]>::len).max());
}
