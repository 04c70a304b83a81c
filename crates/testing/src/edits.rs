//! Random edits of programs, as people make them: operators, constants, statements, branches, functions that move,
//! globals and structures that change. Not every edited program compiles.

use crate::Random;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Language {
    C,
    Rust,
}

const OPERATORS: &[(&str, &str)] = &[
    (" < ", " <= "),
    (" <= ", " < "),
    (" > ", " >= "),
    (" >= ", " < "),
    (" == ", " != "),
    (" != ", " == "),
    (" + ", " - "),
    (" - ", " + "),
    (" * ", " + "),
    (" % ", " / "),
    (" && ", " || "),
    (" || ", " && "),
    (" & ", " | "),
    (" >> ", " << "),
];

const OF_C: &[(&str, &str)] = &[
    ("++", "--"),
    ("return ", "return 1 + "),
    ("break;", ";"),
    ("continue;", ";"),
    ("static int", "static unsigned"),
    ("int ", "short "),
    ("char ", "int "),
    ("if (", "if (1 || "),
    ("if (", "if (!"),
    ("while (", "while (0 && "),
];

const OF_RUST: &[(&str, &str)] = &[
    ("+= 1", "-= 1"),
    ("break;", "{}"),
    ("continue;", "{}"),
    ("u8", "u16"),
    ("u32", "u64"),
    ("i32", "i64"),
    ("if ", "if true || "),
    ("while ", "while false && "),
    (".wrapping_add(", ".wrapping_sub("),
    (".is_some()", ".is_none()"),
];

/// A program with one edit in its code.
pub fn edited(text: &str, language: Language, random: &mut Random) -> String {
    let start = match language {
        Language::C => text.find("#include").unwrap_or(0),
        Language::Rust => 0,
    };
    let (head, body) = text.split_at(start);
    loop {
        let edit = match random.below(10u32) {
            0 | 1 => constant(body, random),
            2 => Some(in_front(body, language, random)),
            3 | 4 => statement(body, language, random),
            5 => function(body, language, random),
            6 => field(body, language, random),
            _ => operator(body, language, random),
        };
        if let Some(body) = edit {
            return format!("{head}{body}");
        }
    }
}

fn splice(body: &str, at: usize, length: usize, new: &str) -> String {
    format!("{}{new}{}", &body[..at], &body[at + length..])
}

/// Where a text has another.
fn places(text: &str, wanted: &str) -> Vec<usize> {
    text.match_indices(wanted).map(|(at, _)| at).collect()
}

fn pick(places: &[usize], random: &mut Random) -> Option<usize> {
    (!places.is_empty()).then(|| random.pick(places))
}

/// Another digit.
fn constant(body: &str, random: &mut Random) -> Option<String> {
    let is_number = |&(at, c): &(usize, char)| {
        let before = body[..at].chars().next_back().unwrap_or(' ');
        c.is_ascii_digit() && !before.is_alphanumeric() && before != '.' && before != '_'
    };
    let numbers: Vec<usize> = { body.char_indices() }
        .filter(is_number)
        .map(|(at, _)| at)
        .collect();
    let at = pick(&numbers, random)?;
    Some(splice(body, at, 1, &random.below(10u32).to_string()))
}

fn operator(body: &str, language: Language, random: &mut Random) -> Option<String> {
    let own = match language {
        Language::C => OF_C,
        Language::Rust => OF_RUST,
    };
    let all = OPERATORS.len() + own.len();
    let which = random.below(all as u64) as usize;
    let (old, new) = match which.checked_sub(OPERATORS.len()) {
        Some(own_one) => own[own_one],
        None => OPERATORS[which],
    };
    let at = pick(&places(body, old), random)?;
    Some(splice(body, at, old.len(), new))
}

/// A variable and a function in front move all others.
fn in_front(body: &str, language: Language, random: &mut Random) -> String {
    let size = 1 + random.below(100u32);
    match language {
        Language::C => format!(
            "char moved[{size}] = {{1}}; int unused(int x) {{ return x + {size}; }}\n{body}"
        ),
        // Attributes of the file come first.
        Language::Rust => format!(
            "{body}\n#[unsafe(no_mangle)] pub static MOVED: [u8; {size}] = [1; {size}];\n\
             #[unsafe(no_mangle)] pub fn unused(x: u32) -> u32 {{ x + {size} }}\n"
        ),
    }
}

/// A line more, a line less, or a branch more.
fn statement(body: &str, language: Language, random: &mut Random) -> Option<String> {
    let at = pick(&places(body, ";\n"), random)?;
    let start = body[..at].rfind('\n').map_or(0, |at| at + 1);
    let line = body[start..at + 1].to_string();
    let new = match (random.below(3u32), language) {
        (0, _) => format!("{line} {line}"),
        (1, _) => ";".to_string(),
        (_, Language::C) => format!("if (time_of_edit) {{ {line} }}"),
        (_, Language::Rust) => format!("if core::hint::black_box(true) {{ {line} }}"),
    };
    let body = splice(body, start, line.len(), &new);
    Some(match new.contains("time_of_edit") {
        true => format!(
            "static volatile int time_of_edit = {};\n{body}",
            random.below(2u32)
        ),
        false => body,
    })
}

/// A function that is moved to the end. A C function without a declaration before its use does not compile then.
fn function(body: &str, language: Language, random: &mut Random) -> Option<String> {
    let starts = match language {
        Language::C => places(body, "\nstatic "),
        Language::Rust => places(body, "\nfn "),
    };
    let at = pick(&starts, random)?;
    let length = body[at..].find("\n}\n")? + 2;
    let function = body[at..at + length].to_string();
    let signature = function.split('{').next()?.trim().to_string();
    let declared = match language {
        Language::C if signature.ends_with(')') => format!("\n{signature};"),
        Language::C => return None,
        Language::Rust => String::new(),
    };
    Some(format!(
        "{}{function}\n",
        splice(body, at, length, &declared)
    ))
}

/// A structure with a member more in front.
fn field(body: &str, language: Language, random: &mut Random) -> Option<String> {
    let is_structure = |&at: &usize| body[at..].find('{') < body[at..].find(';');
    let starts: Vec<usize> = { places(body, "struct ").into_iter() }
        .filter(is_structure)
        .collect();
    let at = pick(&starts, random)?;
    let inside = at + body[at..].find('{')? + 1;
    match language {
        Language::C if !body[at..inside].contains([';', '(', '=']) => {
            Some(splice(body, inside, 0, " char more; "))
        }
        _ => None,
    }
}
