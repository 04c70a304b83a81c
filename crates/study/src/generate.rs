//! Generated programs, in the manner of RUGRAT (I. Hussain and others: Evaluating program analysis and testing tools with the
//! RUGRAT random benchmark application generator, WODA 2012): what a grammar can derive, by seed.
//!
//! A program has classes: some integer fields, and functions that read and write them. Functions have nested conditions
//! on sums of fields, parameters and locals, loops with small bounds, assignments and calls. Calls go to functions of
//! the next layer only, so that every path ends. `main` makes the fields of one class symbolic after the other, and
//! goes into the class that another input chooses. All arithmetic is of unsigned numbers, which is defined whatever the
//! numbers are, and all conditions are linear.

use std::fmt::Write;

use crate::random::Random;

/// Fields of a class, at least and at most.
const FIELDS: (u64, u64) = (3, 5);

/// Functions of a class: so many layers of so many.
const LAYERS: usize = 4;
const FUNCTIONS: usize = 2;

/// Statements of a function, at least and at most; how deep they are nested.
const STATEMENTS: (u64, u64) = (4, 7);
const DEEPEST: usize = 3;

/// Calls of a function, at most: more would make paths endless.
const CALLS: u32 = 2;

/// Inputs are at most this.
const LARGEST: u64 = 1_000;

/// A program in C of about so many lines.
pub fn program(seed: u64, lines: usize) -> String {
    let mut text =
        format!("// Generated from seed {seed}: about {lines} lines.\n#include <klee/klee.h>\n");
    let mut classes = 0;
    let mut used = text.lines().count();
    // What main needs for a class.
    let per_class = 5;
    while used + per_class * classes < lines {
        let class = Class::new(seed, classes);
        used += class.text.lines().count();
        text += &class.text;
        classes += 1;
    }
    text += &main(seed, classes);
    text
}

fn fields_of(seed: u64, class: usize) -> u64 {
    let mut random = Random::for_part(seed, "fields", class as u64);
    random.within(FIELDS.0, FIELDS.1)
}

fn main(seed: u64, classes: usize) -> String {
    let mut text = "\nint main(void) {\n    unsigned which, result = 0;\n".to_owned();
    text += "    klee_make_symbolic(&which, sizeof which, \"which\");\n";
    for class in 0..classes {
        let count = fields_of(seed, class);
        let name = format!("c{class}");
        let _ = writeln!(text, "    if (which == {class}) {{");
        let _ = writeln!(
            text,
            "        klee_make_symbolic({name}, sizeof {name}, \"{name}\");"
        );
        let _ = writeln!(
            text,
            "        for (int i = 0; i < {count}; i++) klee_assume({name}[i] <= {LARGEST});"
        );
        let _ = writeln!(text, "        result = {name}_0_0({name}[0], {name}[1]);");
        text += "    }\n";
    }
    text += "    return result & 1;\n}\n";
    text
}

struct Class {
    number: usize,
    fields: u64,
    random: Random,
    text: String,
}

/// What is in force where a statement is.
struct Scope {
    layer: usize,
    /// How deep it is nested, and in how many loops.
    depth: usize,
    loops: usize,
    /// How many locals there are.
    locals: usize,
    calls_left: u32,
}

impl Class {
    fn new(seed: u64, number: usize) -> Class {
        let fields = fields_of(seed, number);
        let mut class = Class {
            number,
            fields,
            random: Random::for_part(seed, "class", number as u64),
            text: format!("\nstatic unsigned c{number}[{fields}];\n"),
        };
        // What is called stands before who calls it.
        for layer in (0..LAYERS).rev() {
            for function in 0..FUNCTIONS {
                class.function(layer, function);
            }
        }
        class
    }

    fn line(&mut self, depth: usize, text: &str) {
        let _ = writeln!(self.text, "{}{text}", "    ".repeat(depth));
    }

    fn function(&mut self, layer: usize, function: usize) {
        // Only the first of the first layer is called by main.
        let unused = if layer == 0 && function > 0 {
            "__attribute__((unused)) "
        } else {
            ""
        };
        let _ = writeln!(
            self.text,
            "\n{unused}static unsigned c{}_{layer}_{function}(unsigned a, unsigned b) {{",
            self.number
        );
        let start = self.sum(&Scope::new(layer));
        self.line(1, &format!("unsigned x = {start}, y = a;"));
        let mut scope = Scope::new(layer);
        scope.locals = 2;
        let count = self.random.within(STATEMENTS.0, STATEMENTS.1);
        for _ in 0..count {
            self.statement(&mut scope);
        }
        let result = self.sum(&scope);
        self.line(1, &format!("return x + y + {result};"));
        self.text += "}\n";
    }

    fn statement(&mut self, scope: &mut Scope) {
        let is_deep = scope.depth >= DEEPEST;
        match self.random.below(10) {
            0..=4 if !is_deep => self.condition(scope),
            5 if !is_deep && scope.loops == 0 => self.repetition(scope),
            6 | 7 if scope.calls_left > 0 && scope.loops == 0 && scope.layer + 1 < LAYERS => {
                self.call(scope)
            }
            _ => self.assignment(scope),
        }
    }

    /// What is known at the place, by name.
    fn variable(&mut self, scope: &Scope) -> String {
        let names = ["a", "b", "x", "y"];
        match self.random.below(2) {
            0 => format!("c{}[{}]", self.number, self.random.below(self.fields)),
            _ => names[self.random.below(2 + scope.locals as u64) as usize].to_owned(),
        }
    }

    fn sum(&mut self, scope: &Scope) -> String {
        let mut sum = String::new();
        for _ in 0..self.random.within(1, 2) {
            let variable = self.variable(scope);
            match self.random.below(3) {
                0 => {
                    let factor = self.random.within(2, 4);
                    let _ = write!(sum, "{factor} * {variable} + ");
                }
                _ => {
                    let _ = write!(sum, "{variable} + ");
                }
            }
        }
        sum + &self.random.below(100).to_string()
    }

    fn comparison(&mut self, scope: &Scope) -> String {
        let left = self.sum(scope);
        let relation = ["<", "<=", ">", ">=", "==", "!="][self.random.below(6) as usize];
        match self.random.below(4) {
            0 => {
                let right = self.sum(scope);
                format!("{left} {relation} {right}")
            }
            _ => format!("{left} {relation} {}", self.random.below(2 * LARGEST)),
        }
    }

    fn condition(&mut self, scope: &mut Scope) {
        let mut condition = self.comparison(scope);
        if self.random.below(4) == 0 {
            let operator = ["&&", "||"][self.random.below(2) as usize];
            let other = self.comparison(scope);
            condition = format!("({condition}) {operator} ({other})");
        }
        let depth = scope.depth;
        self.line(depth, &format!("if ({condition}) {{"));
        self.body(scope);
        if self.random.below(2) == 0 {
            self.line(depth, "} else {");
            self.body(scope);
        }
        self.line(depth, "}");
    }

    fn repetition(&mut self, scope: &mut Scope) {
        let (depth, times) = (scope.depth, self.random.within(2, 3));
        self.line(depth, &format!("for (int i = 0; i < {times}; i++) {{"));
        scope.loops += 1;
        self.body(scope);
        scope.loops -= 1;
        self.line(depth, "}");
    }

    fn body(&mut self, scope: &mut Scope) {
        scope.depth += 1;
        for _ in 0..self.random.within(1, 2) {
            self.statement(scope);
        }
        scope.depth -= 1;
    }

    fn call(&mut self, scope: &mut Scope) {
        scope.calls_left -= 1;
        let function = self.random.below(FUNCTIONS as u64);
        let [one, other] = [0, 1].map(|_| self.variable(scope));
        let target = ["x", "y"][self.random.below(2) as usize];
        let text = format!(
            "{target} = c{}_{}_{function}({one}, {other});",
            self.number,
            scope.layer + 1
        );
        self.line(scope.depth, &text);
    }

    fn assignment(&mut self, scope: &Scope) {
        let target = match self.random.below(3) {
            0 => format!("c{}[{}]", self.number, self.random.below(self.fields)),
            1 => "x".to_owned(),
            _ => "y".to_owned(),
        };
        let sum = self.sum(scope);
        self.line(scope.depth, &format!("{target} = {sum};"));
    }
}

impl Scope {
    fn new(layer: usize) -> Scope {
        Scope {
            layer,
            depth: 1,
            loops: 0,
            locals: 0,
            calls_left: CALLS,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_seed_is_a_program() {
        assert_eq!(program(1, 2_000), program(1, 2_000));
        assert_ne!(program(1, 2_000), program(2, 2_000));
    }

    #[test]
    fn programs_are_as_long_as_they_are_to_be() {
        for seed in 0..10 {
            for lines in [1_000, 5_000, 10_000, 20_000] {
                let found = program(seed, lines).lines().count();
                let off = found.abs_diff(lines);
                assert!(off * 10 <= lines, "seed {seed}: {found} lines, not {lines}");
            }
        }
    }

    /// Every function of a class but those that nobody chose to call is reached from main.
    #[test]
    fn classes_are_all_called() {
        let text = program(3, 5_000);
        let classes = text.matches("static unsigned c").count();
        assert!(classes > 20);
        assert!(text.contains("c7_0_0(c7[0], c7[1])"));
    }
}
