//! The formatting traits with their flags, for integers, floats, text and structures.
use std::fmt;

struct Point { x: f64, y: f64 }
impl fmt::Display for Point {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        if f.alternate() { write!(f, "<{};{}>", self.x, self.y) } else if let Some(p) = f.precision() { write!(f, "({:.p$}, {:.p$})", self.x, self.y) } else { write!(f, "({}, {})", self.x, self.y) }
    }
}
#[derive(Debug, Clone, Default)]
#[allow(dead_code)]
struct Nested { name: String, list: Vec<Option<u8>>, tuple: (i32, char), unit: () }
#[derive(Debug)]
#[allow(dead_code)]
enum Shape { Unit, Tuple(i32, f32), Struct { w: u8 } }
struct Hex(Vec<u8>);
impl fmt::LowerHex for Hex { fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result { self.0.iter().try_for_each(|b| write!(f, "{b:02x}")) } }
struct Padded;
impl fmt::Display for Padded { fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result { f.pad("pad") } }

fn main() {
    println!("[{}] [{:5}] [{:<5}] [{:^5}] [{:>5}] [{:05}] [{:+}] [{:*^9}]", 42, 42, 42, 42, 42, 42, 42, 42);
    println!("[{:x}] [{:X}] [{:o}] [{:b}] [{:#x}] [{:#b}] [{:#010x}] [{:08b}] [{:e}]", 255, 255, 255, 5, 255, 5, 255, -3i8, 1234.5);
    println!("{} {} {} {} {}", i8::MIN, u64::MAX, i128::MIN, u128::MAX, isize::MAX);
    println!("[{}] [{:.3}] [{:8.2}] [{:<8.2}] [{:+.1}] [{:08.3}] [{:.0}]", 0.1 + 0.2, 2.0 / 3.0, 3.14159, 3.14159, 2.25, -1.5, 2.5);
    println!("{} {} {} {} {} {}", 1e21, 1e-7, f64::MAX, f64::MIN_POSITIVE, f32::MAX, 1.0e10f32);
    println!("{:?} {:?} {:?} {:?} {:?} {:?}", 1.0, 1e16, 1e-5, f64::NAN, -f64::INFINITY, -0.0);
    println!("{:e} {:E} {:.2e} {:?}", 123456.0, 0.00012, 9.999e9, 0.3f32 as f64);
    println!("[{}] [{:10}] [{:<10}|] [{:>10}] [{:.2}] [{:^10.3}] {:?}", "text", "text", "text", "text", "text", "text", "qu\"ote\n\t\u{e9}\u{0}");
    println!("[{:1$}] [{3:.2$}] [{name:>width$}] {0:?}", 7, 4, 2, 1.23456, name = "n", width = 4);
    let p = Point { x: 1.5, y: -2.0 };
    println!("{p} {p:#} {p:.2} [{:>6}] [{:-^9}]", Padded, Padded);
    let n = Nested { name: "nested".into(), list: vec![Some(1), None], tuple: (-1, '\''), unit: () };
    println!("{n:?}\n{n:#?}");
    println!("{:?} {:?} {:?} {:#?}", Shape::Unit, Shape::Tuple(1, 2.0), Shape::Struct { w: 3 }, Shape::Tuple(1, 0.5));
    println!("{:x} {:02X?} {:?} {:?}", Hex(vec![0xde, 0xad, 1]), [10, 255], ['a', '\n'], ("one",));
    println!("{{}} {:?} {:?} {:5}|{:<5}|{:?}", true, (), false, 'c', Some("x"));
    println!("{:?} {:>8?} {:?}", 0..3, Some(1), std::time::Duration::from_millis(1500));
    let text = format!("{:>1$}", "right", 8) + &format!("{:?}", vec![1; 3]);
    println!("{text} {}", text.len());
    eprintln!("to standard error");
}
