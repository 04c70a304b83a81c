//! What is wrong with a program, in words.

use refrain_llvm::machine::{Error, Place, Unsupported};

fn place(place: &Place) -> String {
    if place.line == 0 {
        return format!("  in {}", place.function);
    }
    format!(
        "  in {} at {}:{}:{}",
        place.function, place.file, place.line, place.column
    )
}

/// The stack without the frames of Rust's own library, and not endless.
fn trace(places: &[Place]) -> Vec<String> {
    const MOST: usize = 20;
    let is_own = |place: &&Place| !place.file.starts_with("/rustc/");
    let own: Vec<&Place> = places.iter().filter(is_own).collect();
    let shown = if own.is_empty() {
        places.iter().collect()
    } else {
        own
    };
    let mut lines: Vec<String> = shown.iter().take(MOST).map(|shown| place(shown)).collect();
    if shown.len() > MOST {
        lines.push(format!("  … and {} more", shown.len() - MOST));
    }
    lines
}

pub fn describe(error: &Error) -> String {
    let mut lines = vec![format!("error: {}", error.kind.name())];
    if !error.message.is_empty() {
        lines[0] += &format!(": {}", error.message);
    }
    lines.extend(object_lines(error));
    lines.extend(trace(&error.trace));
    lines.join("\n")
}

/// Which object was missed or misused, and by how much.
pub fn object_lines(error: &Error) -> Vec<String> {
    let mut lines = Vec::new();
    if let Some(object) = &error.object {
        let name = if object.name.is_empty() {
            String::new()
        } else {
            format!("{}, ", object.name)
        };
        let kind = format!("{:?}", object.kind).to_lowercase();
        let bytes = error.access.map_or(0, |(_, bytes)| bytes);
        lines.push(format!(
            "  object: {name}{} bytes, {kind}; {}",
            object.size,
            object.miss(bytes)
        ));
        for (what, places) in [
            ("allocated", &object.allocated_at),
            ("freed", &object.freed_at),
        ] {
            if let Some(first) = places.first() {
                lines.push(format!(
                    "  {what}{}",
                    place(first)
                        .trim_start_matches(' ')
                        .replacen("in ", " in ", 1)
                ));
            }
        }
    } else if let Some((address, _)) = error.access {
        lines.push(format!("  address: {address:#x}"));
    }
    lines
}

pub fn describe_unsupported(what: &Unsupported) -> String {
    let mut lines = vec![format!("cannot go on: {}", what.what)];
    lines.extend(trace(&what.trace));
    lines.join("\n")
}
