//! Modules, visibility, statics, constants, macros, generics over lifetimes, associated functions, shadowing, unsafe, atomics, threads-free state.
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, OnceLock};
mod bank { pub mod account { #[derive(Debug)] pub struct Account { owner: String, pub(in crate::bank) balance: i64 } impl Account { pub fn open(owner: &str) -> Self { super::super::COUNT.fetch_add(1, super::Ordering::SeqCst); Self { owner: owner.into(), balance: 0 } } pub fn owner(&self) -> &str { &self.owner } } } use super::*; pub use account::Account; pub fn deposit(a: &mut Account, n: i64) -> i64 { a.balance += n; a.balance } }
static COUNT: AtomicUsize = AtomicUsize::new(0); static LOG: Mutex<Vec<String>> = Mutex::new(Vec::new()); static TABLE: OnceLock<[u32; 8]> = OnceLock::new(); const SQUARES: [u32; 6] = { let mut t = [0; 6]; let mut i = 0; while i < 6 { t[i] = (i * i) as u32; i += 1; } t }; static mut RAW: i32 = 5;
const fn fib(n: u32) -> u64 { if n < 2 { n as u64 } else { fib(n - 1) + fib(n - 2) } } const F20: u64 = fib(20);
macro_rules! maximum { ($x:expr) => { $x }; ($x:expr, $($rest:expr),+) => {{ let (a, b) = ($x, maximum!($($rest),+)); if a > b { a } else { b } }}; }
macro_rules! record { ($name:ident { $($field:ident : $t:ty = $v:expr),* }) => { #[derive(Debug)] #[allow(dead_code)] struct $name { $($field: $t),* } impl $name { fn new() -> Self { Self { $($field: $v),* } } fn fields() -> &'static [&'static str] { &[$(stringify!($field)),*] } } }; }
record!(Config { width: u32 = 80, name: String = "cfg".to_string(), ratio: f32 = 0.5 });
fn longest<'a>(a: &'a str, b: &'a str) -> &'a str { if b.len() > a.len() { b } else { a } } struct Words<'a> { text: &'a str } impl<'a> Iterator for Words<'a> { type Item = &'a str; fn next(&mut self) -> Option<&'a str> { let t = self.text.trim_start(); if t.is_empty() { return None; } let end = t.find(' ').unwrap_or(t.len()); let (w, rest) = t.split_at(end); self.text = rest; Some(w) } }
thread_local! { static LOCAL: std::cell::RefCell<u32> = const { std::cell::RefCell::new(1) }; }
#[repr(C)] union Bits { f: f32, u: u32 } #[repr(u8)] #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)] enum Level { Low = 1, Mid = 5, High }
fn log(s: impl Into<String>) { LOG.lock().unwrap().push(s.into()); }
fn main() {
    let mut a = bank::Account::open("ann"); let _b = bank::Account::open("bob"); bank::deposit(&mut a, 50); println!("{} {} {:?} {}", bank::deposit(&mut a, 25), a.owner(), a, COUNT.load(Ordering::SeqCst));
    log("one"); log(String::from("two")); println!("{:?} {:?} {:?}", LOG.lock().unwrap(), TABLE.get_or_init(|| std::array::from_fn(|i| 1 << i)), SQUARES); println!("{F20} {} {}", maximum!(3, 9, 4), maximum!(1.5)); let c = Config::new(); println!("{c:?} {:?}", Config::fields());
    let s = String::from("short"); let l; { let t = "a longer one"; l = longest(&s, t); } println!("{l} {:?}", Words { text: "  split these  words " }.collect::<Vec<_>>()); LOCAL.with(|v| *v.borrow_mut() += 41); LOCAL.with_borrow(|v| println!("{v}"));
    unsafe { RAW += 1; let p = &raw mut RAW; *p *= 7; println!("{}", *p); let b = Bits { f: 1.0 }; println!("{:x}", b.u); let v = [10, 20, 30]; let q = v.as_ptr(); println!("{} {}", *q.add(2), std::slice::from_raw_parts(q, 2).len()); } println!("{:?} {} {} {}", Level::High, Level::High as u8, Level::Low < Level::Mid, std::mem::size_of::<Option<Box<i32>>>()); let x = 5; let x = x * 2; { let x = "inner"; print!("{x} "); } println!("{x} {}", module_path!().is_empty()); println!("{}", i32::from(a.owner().len() == 3));
}
