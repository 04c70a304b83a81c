//! Iterator adapters and consumers, and an iterator of one's own.
struct Collatz(u64);
impl Iterator for Collatz {
    type Item = u64;
    fn next(&mut self) -> Option<u64> {
        if self.0 == 1 { return None; }
        self.0 = if self.0 % 2 == 0 { self.0 / 2 } else { 3 * self.0 + 1 };
        Some(self.0)
    }
}
fn main() {
    let v: Vec<i32> = (1..=12).collect();
    println!("{:?}", v.iter().filter(|x| *x % 2 == 0).map(|x| x * x).collect::<Vec<_>>());
    println!("{} {} {:?} {:?}", v.iter().sum::<i32>(), v.iter().take(5).product::<i32>(), v.iter().max(), v.iter().min_by_key(|x| (*x - 6).abs()));
    println!("{:?}", v.chunks(5).map(|c| c.iter().sum::<i32>()).collect::<Vec<_>>());
    println!("{:?}", v.windows(3).map(|w| w[0] * w[2] - w[1]).collect::<Vec<_>>());
    println!("{:?}", v.iter().zip(v.iter().skip(1)).step_by(3).collect::<Vec<_>>());
    println!("{:?}", v.iter().scan(0, |s, x| { *s += x; Some(*s) }).take_while(|s| *s < 40).collect::<Vec<_>>());
    println!("{:?} {:?}", v.iter().position(|&x| x == 7), v.iter().rposition(|&x| x < 4));
    let (small, large): (Vec<i32>, Vec<i32>) = v.iter().partition(|x| **x < 4);
    println!("{small:?} {large:?}");
    println!("{}", v.iter().rev().skip_while(|x| **x > 9).map(|x| x.to_string()).collect::<Vec<_>>().join("-"));
    println!("{:?}", [[1, 2], [3, 4]].concat().iter().flat_map(|x| vec![*x; *x as usize]).collect::<Vec<u8>>());
    println!("{:?} {}", Collatz(27).max(), Collatz(27).count());
    println!("{} {} {}", v.iter().any(|x| *x > 11), v.iter().all(|x| *x > 1), v.iter().fold(String::new(), |a, x| a + &format!("{x:x}")));
    let mut it = v.iter().peekable();
    let mut groups = Vec::new();
    while let Some(x) = it.next() { let mut g = vec![*x]; while let Some(y) = it.next_if(|y| **y / 4 == x / 4) { g.push(*y); } groups.push(g); }
    println!("{groups:?}");
    println!("{:?}", "a1b2c3".chars().filter_map(|c| c.to_digit(10)).collect::<Vec<_>>());
    println!("{:?} {:?}", ["1", "2", "x"].iter().map(|s| s.parse::<i32>().ok()).collect::<Option<Vec<_>>>(), ["1", "2"].iter().map(|s| s.parse::<i32>()).collect::<Result<Vec<_>, _>>());
    println!("{:?}", std::iter::successors(Some(1u32), |x| x.checked_mul(10)).last());
    println!("{:?} {:?}", (0..3).cycle().take(7).collect::<Vec<_>>(), std::iter::repeat_n('z', 3).chain("ab".chars()).rev().collect::<String>());
    println!("{:?} {:?}", (1..4).cmp(1..5), [1.0, 2.0].iter().partial_cmp([1.0, f64::NAN].iter()));
    println!("{:?}", v.iter().try_fold(0i8, |a, &x| a.checked_add(x as i8 * 3)));
    let total: i32 = v.iter().inspect(|x| if **x == 5 { print!("five ") }).copied().reduce(|a, b| a ^ b).unwrap();
    println!("{total} {:?} {:?}", v.iter().size_hint(), v.chunks_exact(5).remainder());
    let (a, b): (Vec<_>, Vec<_>) = v.iter().map(|x| (x % 3, x / 3)).unzip();
    println!("{a:?} {b:?}");
}
