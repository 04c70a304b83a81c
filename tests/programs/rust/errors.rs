//! Option and Result: combinators, the question mark, errors of one's own, boxed errors, sources.
use std::error::Error;
use std::fmt;
use std::num::ParseIntError;

#[derive(Debug)] enum Fault { Syntax { at: usize }, Number(ParseIntError), Range(i64) }
impl fmt::Display for Fault { fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result { match self { Fault::Syntax { at } => write!(f, "syntax at {at}"), Fault::Number(_) => write!(f, "bad number"), Fault::Range(n) => write!(f, "{n} out of range") } } }
impl Error for Fault { fn source(&self) -> Option<&(dyn Error + 'static)> { match self { Fault::Number(e) => Some(e), _ => None } } }
impl From<ParseIntError> for Fault { fn from(e: ParseIntError) -> Self { Fault::Number(e) } }
fn pair(s: &str) -> Result<(i64, i64), Fault> { let at = s.find(':').ok_or(Fault::Syntax { at: s.len() })?; let (a, b) = (s[..at].trim().parse()?, s[at + 1..].trim().parse::<i64>()?); if a > 100 { return Err(Fault::Range(a)); } Ok((a, b)) }
fn boxed(s: &str) -> Result<i64, Box<dyn Error>> { let (a, b) = pair(s)?; if b == 0 { return Err("divisor is zero".into()); } let half: i8 = (a / b).try_into()?; Ok(half as i64) }
fn middle(v: &[Option<i32>]) -> Option<i32> { let x = v.get(v.len() / 2)?.as_ref()?; Some(x * 2) }

fn main() {
    for s in ["1: 2", "nothing", "x:1", "500:1", "7:0", "100:99999999999999999999", "-3 : -1"] {
        match pair(s) { Ok(p) => print!("{p:?} "), Err(e) => print!("{e} [{:?}] ", e.source().map(|s| s.to_string())) }
        println!("{:?}", boxed(s).map_err(|e| e.to_string()));
    }
    println!("{:?} {:?} {:?}", middle(&[Some(1), Some(2), None]), middle(&[None]), middle(&[]));
    let some = Some(4); let none: Option<i32> = None;
    println!("{:?} {:?} {:?} {:?}", some.map(|x| x + 1), some.and_then(|x| if x > 5 { Some(x) } else { None }), none.or(Some(9)), some.filter(|x| x % 2 == 0));
    println!("{} {} {:?} {:?}", none.unwrap_or(7), none.unwrap_or_default(), some.zip(Some('z')), some.xor(none));
    println!("{:?} {:?} {:?}", some.ok_or("none"), none.ok_or("none"), Some(Some(3)).flatten());
    let mut slot = None; print!("{} ", slot.get_or_insert(5)); print!("{:?} ", slot.take()); println!("{:?}", slot.replace(6));
    let ok: Result<u8, String> = Ok(3); let err: Result<u8, String> = Err("bad".into());
    println!("{:?} {:?} {} {} {:?}", ok.as_ref().map(|x| x * 2), err.as_ref().or_else(|e| if e.len() == 3 { Ok(&0) } else { Err(e) }), err.clone().is_err_and(|e| e == "bad"), ok.clone().is_ok_and(|x| x == 3), Some(Ok::<i32, ()>(1)).transpose());
    let failing: Result<i32, std::num::TryFromIntError> = i32::try_from(1i64 << 40); println!("{}", failing.unwrap_err());
    let e: Box<dyn Error> = Box::new(Fault::Range(1)); println!("{:?} {}", e.downcast_ref::<Fault>().is_some(), e);
    let Some(x) = some else { return }; let Ok(parsed) = "12".parse::<i32>() else { panic!() }; if let (Some(a), Ok(b)) = (some, "3".parse::<i32>()) { println!("{}", a + b + x + parsed); }
    std::process::exit(if pair("1:1").is_ok() { 17 } else { 0 });
}
