//! Closures of the three kinds, stored, returned, moved; function pointers; recursion through references.
fn apply<F: Fn(i32) -> i32>(f: F, n: i32) -> i32 { f(f(n)) }
fn make(kind: &str) -> Box<dyn Fn(f64, f64) -> f64> {
    match kind { "add" => Box::new(|a, b| a + b), "pow" => Box::new(|a, b| (0..b as i32).fold(1.0, |r, _| r * a)), _ => Box::new(move |_, _| f64::NAN) }
}
fn counter() -> impl FnMut() -> u32 { let mut n = 0; move || { n += 1; n } }
fn compose<A, B, C>(f: impl Fn(A) -> B, g: impl Fn(B) -> C) -> impl Fn(A) -> C { move |x| g(f(x)) }
struct Cache<F: Fn(u64) -> u64> { f: F, known: Vec<Option<u64>> }
impl<F: Fn(u64) -> u64> Cache<F> { fn get(&mut self, n: u64) -> u64 { let i = n as usize; if self.known.len() <= i { self.known.resize(i + 1, None); } *self.known[i].get_or_insert_with(|| (self.f)(n)) } }
fn fix(f: &dyn Fn(&dyn Fn(u64) -> u64, u64) -> u64, n: u64) -> u64 { f(&|m| fix(f, m), n) }

fn main() {
    let offset = 10;
    println!("{} {}", apply(|x| x + offset, 1), apply(i32::abs, -3));
    println!("{} {} {}", make("add")(1.5, 2.0), make("pow")(2.0, 10.0), make("?")(0.0, 0.0).is_nan());
    let (mut a, mut b) = (counter(), counter());
    println!("{} {} {} {}", a(), a(), b(), a());
    let text = String::from("moved");
    let consume = move || text + "!";
    println!("{}", consume());
    let mut log = Vec::new();
    { let mut push = |s: &str| log.push(s.to_uppercase()); push("one"); push("two"); }
    println!("{log:?} {}", compose(|x: i32| x * 2, |y: i32| format!("<{y}>"))(21));
    let calls = std::cell::Cell::new(0);
    let mut cache = Cache { f: |n| { calls.set(calls.get() + 1); n * n }, known: vec![] };
    println!("{} {} {} {}", cache.get(5), cache.get(5), cache.get(2), calls.get());
    println!("{}", fix(&|this, n| if n == 0 { 1 } else { n * this(n - 1) }, 15));
    let table: [(&str, fn(f64) -> f64); 3] = [("sqrt", f64::sqrt), ("floor", f64::floor), ("neg", |x| -x)];
    for (name, f) in table { print!("{name} {} ", f(6.25)); }
    let mut tasks: Vec<Box<dyn FnOnce() -> String>> = Vec::new();
    for i in 0..3 { let s = "x".repeat(i); tasks.push(Box::new(move || s + "y")); }
    println!("{}", tasks.into_iter().map(|t| t()).collect::<String>());
    let mut v = vec!["pear", "fig", "banana"];
    v.sort_by_key(|s| std::cmp::Reverse(s.len()));
    println!("{v:?}");
}
