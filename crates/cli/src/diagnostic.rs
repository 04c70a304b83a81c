//! What is wrong with a program, as a compiler would say it: the kind, the line with the place marked, why it is an
//! error, the way there, and the input.

use std::fmt::Write as _;
use std::io::IsTerminal;
use std::ops::Range;
use std::path::Path;

use ariadne::{CharSet, Color, Config, IndexType, Label, Report, ReportKind, sources};
use refrain_machine::{Fault, InputValue, Place, Surroundings};
use refrain_report::shell;
use refrain_results::{Test, text};

/// A stack that is endless is shown this far.
const MOST_PLACES: usize = 20;

/// Inputs that are long are shown this far.
const MOST_BYTES: usize = 256;

/// An error and what led to it.
pub struct Diagnostic<'a> {
    pub fault: &'a Fault,
    pub inputs: &'a [InputValue],
    /// A command that gives the program these inputs, if one does.
    pub command: Option<String>,
    /// The number of the test, and the command that runs it again.
    pub test: Option<(u32, String)>,
}

/// Whether standard error shows colours.
pub fn has_colours() -> bool {
    std::io::stderr().is_terminal() && std::env::var_os("NO_COLOR").is_none_or(|no| no.is_empty())
}

impl Diagnostic<'_> {
    /// Ends with a newline. Writing to a string does not fail.
    pub fn render(&self, colours: bool) -> String {
        let fault = self.fault;
        let mut shown = self.excerpt(colours).unwrap_or_else(|| {
            let mut shown = format!("error: {}\n", self.headline());
            for (what, place) in fault.related() {
                let _ = writeln!(shown, "  {what}: {}", shortened(place));
            }
            shown
        });
        // What the program says itself says more.
        if fault.message.is_empty() {
            let _ = writeln!(shown, "  why: {}", fault.kind.explanation());
        }
        for line in fault.details() {
            let _ = writeln!(shown, "  {line}");
        }
        for place in fault.stack.iter().take(MOST_PLACES) {
            let _ = writeln!(shown, "  in {}", shortened(place));
        }
        if fault.stack.len() > MOST_PLACES {
            let _ = writeln!(shown, "  … and {} more", fault.stack.len() - MOST_PLACES);
        }
        if let Some((number, _)) = &self.test {
            let _ = writeln!(shown, "  input (test {number}):");
            match &self.command {
                Some(command) => {
                    let _ = writeln!(shown, "    {command}");
                }
                None => {
                    for input in self.inputs {
                        let _ = writeln!(shown, "    {}", describe_input(input));
                    }
                }
            }
        }
        if let Some((_, command)) = &self.test {
            let _ = writeln!(shown, "  replay: {command}");
        }
        shown
    }

    /// The kind, and what the program says about it.
    fn headline(&self) -> String {
        let message = self.message();
        let colon = if message.is_empty() { "" } else { ": " };
        format!("{}{colon}{message}", self.fault.kind)
    }

    /// What the program says, without the place that a panic's message starts with.
    fn message(&self) -> &str {
        let message = self.fault.message.as_str();
        let Some((place, rest)) = message.split_once(": ") else {
            return message;
        };
        let is_number = |text: &str| !text.is_empty() && text.bytes().all(|b| b.is_ascii_digit());
        let mut parts = place.rsplitn(3, ':');
        match (parts.next(), parts.next(), parts.next()) {
            (Some(column), Some(line), Some(_)) if is_number(column) && is_number(line) => rest,
            _ => message,
        }
    }

    /// What happened at the place.
    fn label(&self) -> String {
        let message = || self.message().lines().next().map(String::from);
        let label = self.fault.object_text().or_else(message);
        label.unwrap_or_else(|| self.fault.kind.to_string())
    }

    /// The lines in question with what happened there. None if there are none to be read.
    fn excerpt(&self, colours: bool) -> Option<String> {
        let place = self.fault.place()?;
        let mut texts = vec![(
            name(&place.file),
            std::fs::read_to_string(&place.file).ok()?,
        )];
        let at = (texts[0].0.clone(), marked(&texts[0].1, place)?);
        let label = |id: &String, range: &Range<usize>, what: &str, colour| {
            let label = Label::new((id.clone(), range.clone()))
                .with_message(what)
                .with_color(colour);
            (id.clone(), range.start, label)
        };
        let mut labels = vec![label(&at.0, &at.1, &self.label(), Color::Red)];
        for (what, place) in self.fault.related() {
            let id = name(&place.file);
            if !texts.iter().any(|(known, _)| *known == id)
                && let Ok(text) = std::fs::read_to_string(&place.file)
            {
                texts.push((id.clone(), text));
            }
            let text = texts.iter().find(|(known, _)| *known == id);
            if let Some(range) = text.and_then(|(_, text)| marked(text, place)) {
                labels.push(label(&id, &range, what, Color::Blue));
            }
        }
        let config = Config::default()
            .with_color(colours)
            .with_char_set(CharSet::Unicode)
            .with_index_type(IndexType::Byte);
        let mut shown = Vec::new();
        // One file is shown in one piece if its lines come in order.
        labels.sort_by_key(|(id, start, _)| (*id != at.0, id.clone(), *start));
        let labels = labels.into_iter().map(|(_, _, label)| label);
        Report::build(ReportKind::Custom("error", Color::Red), at)
            .with_config(config)
            .with_message(self.headline())
            .with_labels(labels)
            .finish()
            .write(sources(texts), &mut shown)
            .ok()?;
        let mut shown = String::from_utf8_lossy(&shown);
        if !colours {
            // The kind is coloured in any case.
            shown = console::strip_ansi_codes(&shown).into_owned().into();
        }
        // Lines of the report may end in blanks.
        let lines = shown.lines().map(|line| format!("{}\n", line.trim_end()));
        Some(lines.collect())
    }
}

/// The bytes of a text that a place means: the word or sign that starts there.
fn marked(text: &str, place: &Place) -> Option<Range<usize>> {
    let line = (place.line as usize).checked_sub(1)?;
    let mut start = 0;
    let mut lines = text.split_inclusive('\n');
    for _ in 0..line {
        start += lines.next()?.len();
    }
    let line = lines.next()?.trim_end();
    let indent = line.len() - line.trim_start().len();
    // Some places name a line only.
    let Some(column) = (place.column as usize).checked_sub(1) else {
        return Some(start + indent..start + line.len().max(indent));
    };
    let rest = line.get(column..).filter(|rest| !rest.is_empty());
    let Some(rest) = rest else {
        return Some(start + indent..start + line.len().max(indent));
    };
    let is_word = |c: char| c.is_alphanumeric() || c == '_';
    let word = rest.find(|c| !is_word(c)).unwrap_or(rest.len());
    let first = rest.chars().next().map_or(1, char::len_utf8);
    Some(start + column..start + column + word.max(first))
}

/// A file as it is named from here.
fn name(file: &str) -> String {
    let here = std::env::current_dir().unwrap_or_default();
    let path = Path::new(file);
    let short = path.strip_prefix(&here).unwrap_or(path);
    short.display().to_string()
}

fn shortened(place: &Place) -> Place {
    Place {
        file: name(&place.file),
        ..place.clone()
    }
}

/// The command of a shell that runs the program on a test, if all its inputs are of the program's world.
pub fn command_of(test: &Test, surroundings: &Surroundings) -> Option<String> {
    let is_of_world = |input: &InputValue| input.role.is_of_world();
    let is_whole = !test.inputs.is_empty() && test.inputs.iter().all(is_of_world);
    is_whole.then(|| shell::command(surroundings))
}

/// An input as a number, if it has the size of one, and as text.
pub fn describe_input(input: &InputValue) -> String {
    let size = input.bytes.len();
    let plural = if size == 1 { "" } else { "s" };
    let mut shown = format!("{} ({size} byte{plural})", input.name);
    if let Some(floats) = input.floats() {
        shown += &format!(" = {}", describe_floats(&floats));
    } else if let Some(number) = input.number() {
        shown += &format!(" = {number}");
        // The same bits without a sign.
        if number < 0 {
            let bits = 8 * size as u32;
            shown += &format!(" or {}", number as u64 & u64::MAX >> (64 - bits));
        }
    }
    if size > MOST_BYTES {
        shown += &format!(" \"{}\"…", text(&input.bytes[..MOST_BYTES]));
    } else if size > 0 {
        shown += &format!(" \"{}\"", text(&input.bytes));
    }
    shown
}

/// One float with its bits, or the first of several.
fn describe_floats(floats: &[(String, u128)]) -> String {
    const MOST: usize = 8;
    if let [(decimal, bits)] = floats {
        return format!("{decimal} ({bits:#x})");
    }
    let first = floats.iter().take(MOST);
    let mut shown: Vec<&str> = first.map(|(decimal, _)| &decimal[..]).collect();
    if floats.len() > MOST {
        shown.push("…");
    }
    format!("{{{}}}", shown.join(", "))
}
