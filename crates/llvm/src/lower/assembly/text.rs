//! Inline assembly as text: its instructions, the registers they name, and the constraints of its operands.

use super::{Given, Place};

pub(super) fn immediate_of(text: &str) -> Option<Given> {
    let (digits, is_negative) = match text.strip_prefix('-') {
        Some(digits) => (digits, true),
        None => (text, false),
    };
    let value = match digits.strip_prefix("0x") {
        Some(digits) => u64::from_str_radix(digits, 16).ok()?,
        None => digits.parse::<u64>().ok()?,
    };
    let value = if is_negative {
        value.wrapping_neg()
    } else {
        value
    };
    Some(Given {
        place: Place::Immediate(value),
        bits: None,
    })
}

/// The 64-bit register that a name is part of, without its `r`, and how many bits of it are meant.
pub(super) fn register(name: &str) -> Option<(String, u32)> {
    const LETTERS: [&str; 4] = ["ax", "bx", "cx", "dx"];
    const WORDS: [&str; 4] = ["si", "di", "bp", "sp"];
    if let Some(rest) = name.strip_prefix('r') {
        let digits: String = rest.chars().take_while(char::is_ascii_digit).collect();
        if let Ok(number) = digits.parse::<u32>() {
            let bits = match &rest[digits.len()..] {
                "" => 64,
                "d" => 32,
                "w" => 16,
                "b" => 8,
                _ => return None,
            };
            return (8..16).contains(&number).then_some((digits, bits));
        }
    }
    let known = |rest: &str| LETTERS.contains(&rest) || WORDS.contains(&rest);
    for (prefix, bits) in [("r", 64), ("e", 32), ("", 16)] {
        if let Some(rest) = name.strip_prefix(prefix)
            && known(rest)
        {
            return Some((rest.to_string(), bits));
        }
    }
    let low = name.strip_suffix('l')?;
    let whole = LETTERS
        .into_iter()
        .find(|letter| letter.strip_suffix('x') == Some(low))
        .or_else(|| WORDS.into_iter().find(|word| *word == low))?;
    Some((whole.to_string(), 8))
}

/// A text without what is between `/*` and `*/`: all of some texts, which are there to hide a value from the optimiser.
fn without_block_comments(text: &str) -> String {
    let mut plain = String::new();
    let mut rest = text;
    while let Some((before, comment)) = rest.split_once("/*") {
        plain += before;
        plain.push(' ');
        rest = comment.split_once("*/").map_or("", |(_, after)| after);
    }
    plain + rest
}

/// The instructions of a text, without comments, labels and prefixes that change nothing here.
pub(super) fn instructions(text: &str, is_intel: bool) -> Vec<String> {
    // Of "$( a $| b $)" the first is for this syntax.
    let mut plain = String::new();
    let mut rest = text;
    while let Some(start) = rest.find("$(") {
        plain += &rest[..start];
        let Some(end) = rest[start..].find("$)") else {
            break;
        };
        let choices = &rest[start + 2..start + end];
        let mut choices = choices.split("$|");
        let chosen = if is_intel {
            choices.nth(1)
        } else {
            choices.next()
        };
        plain += chosen.unwrap_or_default();
        rest = &rest[start + end + 2..];
    }
    plain += rest;
    let plain = without_block_comments(&plain);
    let mut found = Vec::new();
    for line in plain.lines() {
        let line = line.split('#').next().unwrap_or_default();
        for part in line.split(';') {
            let mut part = part.trim();
            for prefix in ["lock ", "lock\t", "rep ", "repz "] {
                part = part.strip_prefix(prefix).unwrap_or(part).trim();
            }
            let changes_nothing = matches!(part, "" | "lock" | "rep" | "nop" | "pause")
                || matches!(part, "mfence" | "lfence" | "sfence");
            if !changes_nothing {
                found.push(part.replace('\t', " "));
            }
        }
    }
    found
}

/// The name of an instruction, and how many bits its last letter says.
pub(super) fn split_suffix(name: &str, is_intel: bool) -> Option<(&str, Option<u32>)> {
    const SUFFIXED: &[&str] = &[
        "mov", "movabs", "xchg", "add", "adc", "sub", "sbb", "cmp", "xadd", "and", "or", "xor",
        "test", "not", "neg", "inc", "dec", "shl", "sal", "shr", "sar", "rol", "ror", "shld",
        "shrd", "bswap", "bsf", "bsr", "tzcnt", "lzcnt", "popcnt", "bt", "bts", "btr", "btc",
        "mul", "imul", "mulx", "div", "idiv", "cmpxchg",
    ];
    if is_intel || SUFFIXED.contains(&name) {
        return Some((name, None));
    }
    let (stem, last) = name.split_at_checked(name.len().checked_sub(1)?)?;
    let bits = match last {
        "b" => 8,
        "w" => 16,
        "l" => 32,
        "q" => 64,
        _ => return Some((name, None)),
    };
    if SUFFIXED.contains(&stem) {
        return Some((stem, Some(bits)));
    }
    // "cmovcq", but not "setb" or "cmovb".
    let conditional = stem.strip_prefix("cmov").filter(|rest| !rest.is_empty());
    match conditional {
        Some(condition) if bits > 8 && condition != "n" => Some((stem, Some(bits))),
        _ => Some((name, None)),
    }
}

/// One constraint of a statement.
#[derive(Default)]
pub(super) struct Constraint {
    /// The register that must be taken.
    pub(super) fixed: Option<String>,
    pub(super) tied: Option<usize>,
    pub(super) is_memory: bool,
    pub(super) is_immediate: bool,
    /// A flag as output.
    pub(super) condition: Option<String>,
}

impl Constraint {
    pub(super) fn register(&self, number: usize) -> String {
        self.fixed.clone().unwrap_or_else(|| format!("${number}"))
    }

    fn read(text: &str) -> Option<Constraint> {
        let mut constraint = Constraint::default();
        let mut rest = text.trim_start_matches(['=', '&', '%', '+']);
        if let Some(behind) = rest.strip_prefix('*') {
            constraint.is_memory = true;
            rest = behind;
        }
        if let Some(inner) = rest
            .strip_prefix('{')
            .and_then(|rest| rest.strip_suffix('}'))
        {
            match inner.strip_prefix("@cc") {
                Some(condition) => constraint.condition = Some(condition.to_string()),
                None => constraint.fixed = Some(register(inner)?.0),
            }
        } else if let Ok(output) = rest.parse() {
            constraint.tied = Some(output);
        } else {
            constraint.is_immediate = rest.contains(['i', 'I', 'J', 'K', 'n', 'N', 'e']);
        }
        Some(constraint)
    }
}

#[derive(Default)]
pub(super) struct Constraints {
    pub(super) outputs: Vec<Constraint>,
    pub(super) inputs: Vec<Constraint>,
}

impl Constraints {
    pub(super) fn read(text: &str) -> Option<Constraints> {
        let mut constraints = Constraints::default();
        for part in text.split(',').filter(|part| !part.is_empty()) {
            if part.starts_with('~') {
                continue;
            }
            // A label: control goes elsewhere.
            if part.starts_with('!') {
                return None;
            }
            let constraint = Constraint::read(part)?;
            if part.starts_with('=') {
                constraints.outputs.push(constraint);
            } else {
                constraints.inputs.push(constraint);
            }
        }
        Some(constraints)
    }
}
