//! Traits: objects, default methods, associated types and constants, generics with bounds, operators, downcasts, const generics.
use std::any::Any;
use std::collections::BTreeMap;
use std::fmt::{Debug, Display};
use std::ops::{Add, AddAssign, Index, IndexMut, Mul, Neg, Not};

trait Shape { const SIDES: u32; fn area(&self) -> f64; fn name(&self) -> String { format!("shape with {} sides", Self::SIDES) } }
struct Square(f64);
struct Circle { r: f64 }
impl Shape for Square { const SIDES: u32 = 4; fn area(&self) -> f64 { self.0 * self.0 } }
impl Shape for Circle { const SIDES: u32 = 0; fn area(&self) -> f64 { 3.0 * self.r * self.r } fn name(&self) -> String { "circle".into() } }
trait Describe { fn describe(&self) -> String; }
impl<T: Shape> Describe for T { fn describe(&self) -> String { format!("{}: {:.1}", self.name(), self.area()) } }
trait Animal { fn speak(&self) -> &'static str; fn as_any(&self) -> &dyn Any; }
#[derive(Clone)] struct Dog { age: u8 }
struct Cat;
impl Animal for Dog { fn speak(&self) -> &'static str { "woof" } fn as_any(&self) -> &dyn Any { self } }
impl Animal for Cat { fn speak(&self) -> &'static str { "meow" } fn as_any(&self) -> &dyn Any { self } }
#[derive(Debug, Clone, Copy, PartialEq, PartialOrd, Default)] struct V2 { x: i32, y: i32 }
impl Add for V2 { type Output = V2; fn add(self, o: V2) -> V2 { V2 { x: self.x + o.x, y: self.y + o.y } } }
impl Mul<i32> for V2 { type Output = V2; fn mul(self, k: i32) -> V2 { V2 { x: self.x * k, y: self.y * k } } }
impl Neg for V2 { type Output = V2; fn neg(self) -> V2 { self * -1 } }
impl Not for V2 { type Output = bool; fn not(self) -> bool { self == V2::default() } }
impl AddAssign for V2 { fn add_assign(&mut self, o: V2) { *self = *self + o } }
#[derive(Debug)] struct Matrix<const R: usize, const C: usize>([[i64; C]; R]);
impl<const R: usize, const C: usize> Index<(usize, usize)> for Matrix<R, C> { type Output = i64; fn index(&self, i: (usize, usize)) -> &i64 { &self.0[i.0][i.1] } }
impl<const R: usize, const C: usize> IndexMut<(usize, usize)> for Matrix<R, C> { fn index_mut(&mut self, i: (usize, usize)) -> &mut i64 { &mut self.0[i.0][i.1] } }
impl<const R: usize, const C: usize> Matrix<R, C> { fn times<const D: usize>(&self, o: &Matrix<C, D>) -> Matrix<R, D> { let mut m = Matrix([[0; D]; R]); for i in 0..R { for j in 0..D { for k in 0..C { m[(i, j)] += self[(i, k)] * o[(k, j)]; } } } m } }
fn largest<T: PartialOrd + Copy>(v: &[T]) -> Option<T> { let mut it = v.iter().copied(); let first = it.next()?; Some(it.fold(first, |a, b| if b > a { b } else { a })) }
fn show_all(items: &[&dyn Display]) -> String { items.iter().map(|i| i.to_string()).collect::<Vec<_>>().join("|") }
fn print_map<K: Ord + Debug, V>(m: &BTreeMap<K, V>) -> String where V: Into<i64> + Copy { m.iter().map(|(k, v)| format!("{k:?}:{}", (*v).into())).collect() }
struct Celsius(f64);
impl From<Celsius> for f64 { fn from(c: Celsius) -> f64 { c.0 * 1.8 + 32.0 } }
impl std::str::FromStr for Celsius { type Err = String; fn from_str(s: &str) -> Result<Self, String> { s.strip_suffix('C').ok_or("no C".to_string())?.parse().map(Celsius).map_err(|_| "no number".into()) } }

fn main() {
    println!("{} {}", Square(3.0).describe(), Circle { r: 2.0 }.describe());
    let zoo: Vec<Box<dyn Animal>> = vec![Box::new(Dog { age: 3 }), Box::new(Cat)];
    for a in &zoo { print!("{} {:?} ", a.speak(), a.as_any().downcast_ref::<Dog>().map(|d| d.age)); }
    let mut v = V2 { x: 1, y: 2 } + V2 { x: 10, y: 20 } * 2;
    v += -V2 { x: 1, y: 1 };
    println!("{v:?} {} {:?} {}", !v, v.partial_cmp(&V2 { x: 20, y: 50 }), !V2::default());
    let m = Matrix([[1, 2, 3], [4, 5, 6]]).times(&Matrix([[1, 0], [0, 1], [2, 2]]));
    println!("{m:?} {:?} {:?} {:?}", largest(&[1.5, 9.0, 3.0]), largest(&['x', 'b']), largest::<u8>(&[]));
    println!("{} {}", show_all(&[&1, &"two", &3.5, &'4']), print_map(&BTreeMap::from([("a", 1i32), ("b", -2)])));
    println!("{} {:?} {:?}", f64::from(Celsius(100.0)), "25C".parse::<Celsius>().map(f64::from), "x".parse::<Celsius>().err());
}
