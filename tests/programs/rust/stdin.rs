//! Reads standard input: lines, the rest as text, numbers parsed with errors reported; takes arguments.
use std::io::{self, BufRead, Read, Write};
fn main() -> Result<(), Box<dyn std::error::Error>> {
    let args: Vec<String> = std::env::args().skip(1).collect();
    println!("{args:?}");
    let stdin = io::stdin();
    let mut first = String::new();
    let n = stdin.lock().read_line(&mut first)?;
    println!("{n} {first:?}");
    let mut sum = 0i64;
    for line in stdin.lock().lines().take(3) { let line = line?; match line.trim().parse::<i64>() { Ok(v) => sum += v, Err(e) => println!("{line:?}: {e}") } }
    println!("{sum}");
    let mut rest = String::new();
    io::stdin().read_to_string(&mut rest)?;
    let out = io::stdout();
    let mut out = out.lock();
    for (i, line) in rest.lines().enumerate() { writeln!(out, "{i}: {}", line.split_whitespace().rev().collect::<Vec<_>>().join(" "))?; }
    out.flush()?;
    if args.iter().any(|a| a == "--fail") { Err(format!("asked to fail after {} bytes", rest.len()))?; }
    Ok(())
}
