//! Which function of a native program an address is in: what the program's symbol table says (ELF, 64 bits, lowest
//! byte first).
//!
//! With it, blocks of the native program and of the machine are known to be the same: by the symbol of their
//! function, and by where in the function their guard is. A function's guards lie side by side, and the one of its
//! first block is always the first to be seen.

use std::collections::HashMap;
use std::io;
use std::path::Path;

/// The functions of a program by address.
#[derive(Default)]
pub struct Symbols {
    /// Start, size, name; sorted. A function with several names is there several times.
    functions: Vec<(u64, u64, String)>,
}

/// The function that blocks report to, whose address tells where the program was loaded.
const ANCHOR: &str = "__sanitizer_cov_trace_pc_guard";

impl Symbols {
    pub fn read(program: &Path) -> io::Result<Symbols> {
        let bytes = std::fs::read(program)?;
        Ok(Symbols {
            functions: functions(&bytes).unwrap_or_default(),
        })
    }

    /// All names of the function that an address is in.
    fn names(&self, address: u64) -> impl Iterator<Item = &str> {
        let behind = self
            .functions
            .partition_point(|&(start, ..)| start <= address);
        let start = self.functions[..behind]
            .last()
            .map_or(0, |&(start, ..)| start);
        self.functions[..behind]
            .iter()
            .rev()
            .take_while(move |function| function.0 == start)
            .filter(move |function| address - function.0 <= function.1)
            .map(|(.., name)| name.as_str())
    }

    /// The position of the first block that is not the same: one of ours by function and guard, one of theirs by
    /// guard and code.
    pub fn first_other(
        &self,
        ours: &[(String, u64)],
        theirs: &[(u64, u64)],
        anchor: u64,
    ) -> Option<usize> {
        let here = self.functions.iter().find(|(.., name)| name == ANCHOR)?;
        let moved = anchor.wrapping_sub(here.0);
        let mut bases: HashMap<&str, (u64, u64)> = HashMap::new();
        for (index, ((name, our_guard), &(their_guard, code))) in
            ours.iter().zip(theirs).enumerate()
        {
            // An address that a call returns to is behind the call, and may be behind the function.
            let code = code.wrapping_sub(moved).wrapping_sub(1);
            let mut names = self.names(code).peekable();
            // Nothing is known of a function without a symbol.
            let same_function = names.peek().is_none() || names.any(|found| found == name);
            let base = *bases
                .entry(name.as_str())
                .or_insert((*our_guard, their_guard));
            let offset = our_guard.wrapping_sub(base.0);
            if !same_function || offset != their_guard.wrapping_sub(base.1) {
                return Some(index);
            }
        }
        None
    }
}

fn number(bytes: &[u8], at: usize, len: usize) -> Option<u64> {
    let part = bytes.get(at..at.checked_add(len)?)?;
    Some(
        part.iter()
            .rev()
            .fold(0, |number, &byte| number << 8 | u64::from(byte)),
    )
}

fn functions(bytes: &[u8]) -> Option<Vec<(u64, u64, String)>> {
    const SYMBOL_TABLE: u64 = 2;
    const FUNCTION: u64 = 2;
    const ENTRY: usize = 24;
    if !bytes.starts_with(b"\x7fELF\x02\x01") {
        return None;
    }
    let headers = number(bytes, 0x28, 8)? as usize;
    let size = number(bytes, 0x3a, 2)? as usize;
    let count = number(bytes, 0x3c, 2)? as usize;
    let header = |index: usize| headers.checked_add(index.checked_mul(size)?);
    let contents = |at: usize| {
        let (from, len) = (number(bytes, at + 24, 8)?, number(bytes, at + 32, 8)?);
        bytes.get(from as usize..from.checked_add(len)? as usize)
    };
    let mut functions = Vec::new();
    for index in 0..count {
        let at = header(index)?;
        if number(bytes, at.checked_add(4)?, 4)? != SYMBOL_TABLE {
            continue;
        }
        let symbols = contents(at)?;
        let names = contents(header(number(bytes, at + 40, 4)? as usize)?)?;
        for symbol in symbols.chunks_exact(ENTRY) {
            let is_function = number(symbol, 4, 1)? & 15 == FUNCTION;
            let (start, size) = (number(symbol, 8, 8)?, number(symbol, 16, 8)?);
            if !is_function || start == 0 {
                continue;
            }
            let name = names.get(number(symbol, 0, 4)? as usize..)?;
            let name = name.split(|&byte| byte == 0).next().unwrap_or_default();
            functions.push((start, size, String::from_utf8_lossy(name).into_owned()));
        }
    }
    functions.sort();
    Some(functions)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// This test is a program too.
    #[test]
    fn functions_are_found_by_address() {
        let program = std::env::current_exe().expect("this program");
        let symbols = Symbols::read(&program).expect("it can be read");
        let (start, size, name) = symbols
            .functions
            .iter()
            .find(|(_, size, name)| *size > 16 && name == "main")
            .expect("it has a main");
        for address in [*start, start + size / 2] {
            assert!(symbols.names(address).any(|found| found == name));
        }
        let bytes = std::fs::read(&program).expect("it can be read");
        for len in (0..bytes.len()).step_by(bytes.len() / 50 + 1) {
            let _ = functions(&bytes[..len]);
        }
    }

    #[test]
    fn blocks_are_the_same_by_function_and_guard() {
        let function = |start, name: &str| (start, 16, name.to_string());
        let mut symbols = Symbols {
            functions: vec![
                function(0x100, "f"),
                function(0x110, "C1"),
                function(0x110, "C2"),
                function(0x200, ANCHOR),
            ],
        };
        symbols.functions.sort();
        let ours = |list: &[(&str, u64)]| -> Vec<(String, u64)> {
            list.iter()
                .map(|&(name, guard)| (name.into(), guard))
                .collect()
        };
        let moved = 0x5000;
        let theirs = [
            (0x900, moved + 0x104),
            (0x908, moved + 0x110),
            (0x950, moved + 0x111),
            (0x95c, moved + 0x120),
        ];
        let other = |list: &[(&str, u64)]| symbols.first_other(&ours(list), &theirs, moved + 0x200);
        assert_eq!(other(&[("f", 16), ("f", 24), ("C2", 64), ("C2", 76)]), None);
        assert_eq!(other(&[("f", 16), ("f", 20), ("C2", 64)]), Some(1));
        assert_eq!(other(&[("f", 16), ("f", 24), ("g", 64)]), Some(2));
    }
}
