//! Strings and characters: UTF-8, slicing, searching, splitting, case, parsing, bytes, fmt::Write.
use std::fmt::Write;

fn caesar(s: &str, by: u8) -> String {
    s.chars().map(|c| match c { 'a'..='z' => ((c as u8 - b'a' + by) % 26 + b'a') as char, 'A'..='Z' => ((c as u8 - b'A' + by) % 26 + b'A') as char, _ => c }).collect()
}
fn main() {
    let s = "Grüße, Jürgen ❤ 世界";
    println!("{} {} {:?} {:?}", s.len(), s.chars().count(), s.char_indices().nth(3), s.bytes().take(4).collect::<Vec<_>>());
    println!("{} {} {}", s.to_uppercase(), s.to_lowercase(), s.chars().rev().collect::<String>());
    println!("{:?} {:?} {} {:?}", s.find('J'), s.find("nothing"), &s[9..], s.get(3..4));
    println!("{:?} {:?}", s.split(", ").collect::<Vec<_>>(), "a,b,,c,".split(',').collect::<Vec<_>>());
    println!("{:?} {:?} {:?}", "  trim me ".trim(), "xxabcxx".trim_matches('x'), "key=value=more".split_once('='));
    println!("{:?} {:?}", "line one\nline two\r\n\nlast".lines().collect::<Vec<_>>(), " several   words here ".split_whitespace().collect::<Vec<_>>());
    println!("{} {} {}", "one two two".replace("two", "2"), "abc".repeat(3), "aXbXc".replacen('X', "-", 1));
    println!("{} {} {:?}", s.starts_with("Gr"), s.contains(char::is_numeric), "a1b22".rsplit(|c: char| c.is_ascii_digit()).collect::<Vec<_>>());
    let mut t = String::with_capacity(10);
    t.push_str("hello"); t.insert(0, '>'); t.insert_str(1, "> "); t.pop(); t.remove(0); t.truncate(5); t.extend(['x', 'y']);
    write!(t, " {:03}", 7).unwrap(); writeln!(t, "!").unwrap();
    println!("{t:?} {:?}", t.drain(..2).collect::<String>());
    println!("{} {}", caesar("Hello, World!", 3), caesar(&caesar("Round Trip", 10), 16));
    println!("{:?} {:?} {:?} {:?}", "42".parse::<u8>(), "-1".parse::<u8>().is_err(), "300".parse::<u8>().map_err(|e| e.to_string()), "".parse::<i32>().map_err(|e| e.to_string()));
    println!("{:?} {:?} {:?} {:?}", "3.25".parse::<f64>(), "1e400".parse::<f64>(), "nan".parse::<f64>().map(f64::is_nan), "abc".parse::<f64>().map_err(|e| e.to_string()));
    println!("{:?} {:?} {:?}", "true".parse::<bool>(), "x".parse::<char>(), i64::from_str_radix("-7f", 16));
    println!("{:?} {:?} {}", String::from_utf8(vec![0xe2, 0x9d, 0xa4]), std::str::from_utf8(&vec![0xff, 0xfe]).is_err(), String::from_utf8_lossy(b"ok\xffok"));
    for c in ['a', 'Z', '5', ' ', 'é', '世', '\n', 'ß'] { print!("{}{}{}{}{} ", c.is_alphabetic() as u8, c.is_numeric() as u8, c.is_uppercase() as u8, c.is_whitespace() as u8, c.len_utf8()); }
    println!("{:?} {:?} {} {}", char::from_digit(11, 16), char::from_u32(0xd800), 'ß'.to_uppercase(), '\u{1F600}'.escape_unicode());
    println!("{:?} {:?} {}", "abc".cmp("abd"), "a".eq_ignore_ascii_case("A"), ["c", "a", "b"].concat());
    println!("{:?}", "one-two_three".split(['-', '_']).map(|w| w[..1].to_uppercase() + &w[1..]).collect::<Vec<_>>());
    println!("{:?} {:?}", "αβγ".encode_utf16().collect::<Vec<_>>(), b"bytes".iter().map(|b| b.to_ascii_uppercase() as char).collect::<String>());
}
