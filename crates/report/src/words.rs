//! Errors and inputs in words, as all formats say them.

use refrain_machine::{ErrorKind, Fault, InputValue, Place};
use refrain_results::{Test, text};

/// `panic: attempt to add with overflow`
pub fn headline(fault: &Fault) -> String {
    match message(fault) {
        "" => fault.kind.to_string(),
        message => format!("{}: {message}", fault.kind),
    }
}

/// The message without the `file:line:column: ` that a panic has in front: places are told apart from it.
pub fn message(fault: &Fault) -> &str {
    let is_number = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    let mut rest = fault.message.as_str();
    // The file may have colons too.
    while let Some((_, after)) = rest.split_once(':') {
        let mut parts = after.splitn(3, ':');
        if let (Some(line), Some(column), Some(message)) =
            (parts.next(), parts.next(), parts.next())
            && is_number(line)
            && is_number(column)
            && fault.kind == ErrorKind::Panic
        {
            return message.strip_prefix(' ').unwrap_or(message);
        }
        rest = after;
    }
    &fault.message
}

/// `x = 5, text = "256%"`; long inputs are cut.
pub fn inputs(test: &Test) -> String {
    const MOST_INPUTS: usize = 8;
    let mut words: Vec<String> = test.inputs.iter().take(MOST_INPUTS).map(input).collect();
    if test.inputs.len() > MOST_INPUTS {
        words.push(format!("… and {} more", test.inputs.len() - MOST_INPUTS));
    }
    words.join(", ")
}

fn input(input: &InputValue) -> String {
    const MOST_BYTES: usize = 32;
    let shown = &input.bytes[..input.bytes.len().min(MOST_BYTES)];
    let more = if shown.len() < input.bytes.len() {
        "…"
    } else {
        ""
    };
    let is_text = shown.iter().all(|byte| (0x20..0x7f).contains(byte));
    match input.number() {
        Some(number) if !is_text => format!("{} = {number}", input.name),
        _ => format!("{} = \"{}\"{more}", input.name, text(shown)),
    }
}

/// Of a stack without an end, the innermost part, and how many more there are.
pub fn frames(stack: &[Place]) -> (&[Place], usize) {
    const MOST: usize = 50;
    let (shown, left) = stack.split_at(stack.len().min(MOST));
    (shown, left.len())
}

/// Everything that is known of an error but its headline, a line each.
pub fn report(fault: &Fault, test: &Test) -> String {
    let mut lines = fault.details();
    let (stack, more) = frames(&fault.stack);
    lines.extend(stack.iter().map(|place| format!("in {place}")));
    if more > 0 {
        lines.push(format!("… and {more} more"));
    }
    if !test.inputs.is_empty() {
        lines.push(format!("input: {}", inputs(test)));
    }
    lines.join("\n")
}
