//! Random programs in the manner of RUGRAT, which are what the HVC'14 study of incremental solving explores (section
//! 4.2).
//!
//! A program is derived from a grammar by weights: units ("classes") of fields and functions, whose statements are
//! assignments, conditions, loops and calls. Some fields of each unit are symbolic and never assigned. Every condition
//! is a linear comparison of fields, parameters, locals and constants, so path conditions are linear, too.
//!
//! *Invariants:* the same seed gives the same text everywhere. Every variable has a bound (`INPUT`, `VALUE`) that no
//! assignment exceeds, so nothing overflows: over the integers a program is explored as it is in machine arithmetic.
//! Only functions of lower levels are called, and not in loops: all paths end.

use std::fmt::Write;

use crate::random::Random;

/// The greatest absolute value of an input.
const INPUT: u64 = 1000;
/// That of everything else.
const VALUE: u64 = 100_000;
/// That of what is added to: it may grow by [`SMALL`] once more.
const GROWN: u64 = VALUE / 2;
/// That of an expression of inputs alone: two of them with coefficients, and a constant.
const SMALL: u64 = 2 * COEFFICIENT * INPUT + INPUT;
const COEFFICIENT: u64 = 5;

/// How deep blocks are nested.
const DEPTH: usize = 3;
/// The call sites of a function.
const CALLS: usize = 3;
/// What the functions of a unit may call: those of lower levels. The last are mostly called by `main`.
const LEVELS: [usize; 8] = [0, 0, 0, 0, 1, 1, 1, 2];

const _: () = assert!(SMALL <= VALUE && GROWN + SMALL <= VALUE);

/// A C program of about so many lines.
pub fn program(seed: u64, lines: usize) -> String {
    let mut generator = Generator {
        random: Random::for_part(seed, "program", lines as u64),
        text: String::new(),
        lines: 0,
        units: Vec::new(),
        functions: Vec::new(),
    };
    generator.program(seed, lines);
    generator.text
}

struct Generator {
    random: Random,
    text: String,
    lines: usize,
    units: Vec<Unit>,
    functions: Vec<Function>,
}

struct Unit {
    inputs: Vec<String>,
    /// The fields that are assigned to.
    state: Vec<String>,
}

struct Function {
    name: String,
    unit: usize,
    parameters: usize,
    level: usize,
    called: bool,
}

/// What the statements of a function may use.
struct Scope {
    unit: usize,
    level: usize,
    /// Parameters and locals.
    values: Vec<String>,
    locals: Vec<String>,
    counters: Vec<String>,
    calls: usize,
}

impl Generator {
    fn program(&mut self, seed: u64, lines: usize) {
        self.line(
            0,
            &format!("// A random program of linear conditions: seed {seed}, about {lines} lines."),
        );
        self.line(0, "#include <klee/klee.h>");
        self.line(0, "");
        self.line(0, "static int input(const char *name) {");
        self.line(1, "int value;");
        self.line(1, "klee_make_symbolic(&value, sizeof value, name);");
        self.line(1, &format!("klee_assume(value >= -{INPUT});"));
        self.line(1, &format!("klee_assume(value <= {INPUT});"));
        self.line(1, "return value;");
        self.line(0, "}");
        while self.lines + self.lines_of_main() < lines {
            self.unit(lines);
        }
        self.main();
    }

    fn lines_of_main(&self) -> usize {
        let inputs: usize = self.units.iter().map(|unit| unit.inputs.len()).sum();
        let entries = self.functions.iter().filter(|function| !function.called);
        5 + inputs + 2 * entries.count()
    }

    /// Some functions around a few fields, as long as there is room for them.
    fn unit(&mut self, lines: usize) {
        let number = self.units.len();
        let inputs = self.random.within(3, 5) as usize;
        let state = self.random.within(2, 4) as usize;
        let field = |index: usize| format!("unit{number}.f{index}");
        let fields: Vec<String> = { 0..inputs + state }
            .map(|index| format!("f{index}"))
            .collect();
        self.units.push(Unit {
            inputs: (0..inputs).map(field).collect(),
            state: (inputs..inputs + state).map(field).collect(),
        });
        self.line(0, "");
        self.line(0, "static struct {");
        self.line(1, &format!("int {};", fields.join(", ")));
        self.line(0, &format!("}} unit{number};"));
        for (index, level) in LEVELS.into_iter().enumerate() {
            self.function(number, index, level);
            if self.lines + self.lines_of_main() >= lines {
                return;
            }
        }
    }

    fn function(&mut self, unit: usize, index: usize, level: usize) {
        let name = format!("unit{unit}_g{index}");
        let parameters: Vec<String> = { 0..self.random.within(0, 2) }
            .map(|index| format!("p{index}"))
            .collect();
        let declared: Vec<String> = parameters
            .iter()
            .map(|name| format!("int {name}"))
            .collect();
        let declared = if declared.is_empty() {
            "void".to_string()
        } else {
            declared.join(", ")
        };
        self.line(0, "");
        self.line(0, &format!("static int {name}({declared}) {{"));
        let mut scope = Scope {
            unit,
            level,
            values: parameters.clone(),
            locals: Vec::new(),
            counters: Vec::new(),
            calls: if level > 0 { CALLS } else { 0 },
        };
        for index in 0..self.random.within(1, 2) {
            let local = format!("v{index}");
            let value = self.value(&scope);
            self.line(1, &format!("int {local} = {value};"));
            scope.values.push(local.clone());
            scope.locals.push(local);
        }
        let room = self.random.within(12, 32) as usize;
        self.block(&mut scope, 1, room);
        // Whatever is called has an effect on what is returned, and nothing is without a use.
        if scope.calls == CALLS {
            self.call(&mut scope, 1);
        }
        let condition: Vec<String> = { scope.values.iter() }
            .map(|value| self.term(value))
            .collect();
        let limit = self.constant(condition.len() as u64 * INPUT);
        self.line(1, &format!("if ({} > {limit})", condition.join(" + ")));
        let value = self.value(&scope);
        self.line(2, &format!("return {value};"));
        let value = self.value(&scope);
        self.line(1, &format!("return {value};"));
        self.line(0, "}");
        self.functions.push(Function {
            name,
            unit,
            parameters: parameters.len(),
            level,
            called: false,
        });
    }

    /// Statements of about so many lines, but at least one.
    fn block(&mut self, scope: &mut Scope, depth: usize, room: usize) {
        let end = self.lines + room.max(1);
        while self.lines < end {
            let left = end - self.lines;
            match self.random.below(100) {
                0..40 if depth <= DEPTH && left > 2 => self.condition(scope, depth, left),
                40..50 if depth <= DEPTH && left > 2 => self.repetition(scope, depth, left),
                50..65 if scope.calls > 0 && scope.counters.is_empty() => self.call(scope, depth),
                65..75 if left > 1 => self.addition(scope, depth),
                _ => self.assignment(scope, depth),
            }
        }
    }

    fn condition(&mut self, scope: &mut Scope, depth: usize, left: usize) {
        let comparison = self.comparisons(scope);
        let room = self.random.within(1, left as u64 - 2) as usize;
        self.line(depth, &format!("if ({comparison}) {{"));
        self.block(scope, depth + 1, room);
        if left > room + 3 && self.random.below(2) == 0 {
            self.line(depth, "} else {");
            self.block(scope, depth + 1, left - room - 3);
        }
        self.line(depth, "}");
    }

    /// A loop of a few rounds, some of which end early, as input decides.
    fn repetition(&mut self, scope: &mut Scope, depth: usize, left: usize) {
        let counter = ["i", "j", "k"][scope.counters.len()];
        let rounds = self.random.within(2, 4);
        let mut goes_on = format!("{counter} < {rounds}");
        if self.random.below(2) == 0 {
            scope.counters.push(counter.into());
            let (_, comparison) = self.comparison(scope);
            scope.counters.pop();
            let _ = write!(goes_on, " && {comparison}");
        }
        self.line(
            depth,
            &format!("for (int {counter} = 0; {goes_on}; {counter}++) {{"),
        );
        scope.counters.push(counter.into());
        let room = self.random.within(1, (left as u64 - 2).min(6)) as usize;
        self.block(scope, depth + 1, room);
        scope.counters.pop();
        self.line(depth, "}");
    }

    fn assignment(&mut self, scope: &Scope, depth: usize) {
        let to = self.target(scope);
        let mut value = self.value(scope);
        if value == to {
            value = self.small(scope);
        }
        self.line(depth, &format!("{to} = {value};"));
    }

    /// What is added to stays within its bound.
    fn addition(&mut self, scope: &Scope, depth: usize) {
        let (to, value) = (self.target(scope), self.small(scope));
        self.line(depth, &format!("if ({to} > -{GROWN} && {to} < {GROWN})"));
        self.line(depth + 1, &format!("{to} += {value};"));
    }

    /// Calls a function of a lower level, preferably one that nobody calls.
    fn call(&mut self, scope: &mut Scope, depth: usize) {
        const RECENT: usize = 24;
        let recent = self.functions.len().saturating_sub(RECENT)..self.functions.len();
        let lower: Vec<usize> = { recent }
            .filter(|&index| self.functions[index].level < scope.level)
            .collect();
        let new: Vec<usize> = { lower.iter().copied() }
            .filter(|&index| !self.functions[index].called)
            .collect();
        let Some(&callee) = self.random.pick(if new.is_empty() { &lower } else { &new }) else {
            return self.assignment(scope, depth);
        };
        scope.calls -= 1;
        self.functions[callee].called = true;
        let call = self.call_of(callee, scope);
        let to = self.target(scope);
        self.line(depth, &format!("{to} = {call};"));
    }

    fn call_of(&mut self, callee: usize, scope: &Scope) -> String {
        let arguments: Vec<String> = { 0..self.functions[callee].parameters }
            .map(|_| self.value(scope))
            .collect();
        format!("{}({})", self.functions[callee].name, arguments.join(", "))
    }

    /// All inputs, and calls of whatever nobody else calls, as input decides.
    fn main(&mut self) {
        self.line(0, "");
        self.line(0, "int main(void) {");
        let inputs: Vec<String> = { self.units.iter() }
            .flat_map(|unit| unit.inputs.iter().cloned())
            .collect();
        for input in inputs {
            self.line(1, &format!("{input} = input(\"{input}\");"));
        }
        self.line(1, "int result = 0;");
        let entries = { 0..self.functions.len() }.filter(|&index| !self.functions[index].called);
        for entry in entries.collect::<Vec<usize>>() {
            let scope = Scope {
                unit: self.functions[entry].unit,
                level: usize::MAX,
                values: Vec::new(),
                locals: Vec::new(),
                counters: Vec::new(),
                calls: 0,
            };
            let guard = self.comparisons(&scope);
            let call = self.call_of(entry, &scope);
            self.line(1, &format!("if ({guard})"));
            self.line(2, &format!("result += {call} > 0;"));
        }
        self.line(1, "return result;");
        self.line(0, "}");
    }

    /// One linear comparison, or two.
    fn comparisons(&mut self, scope: &Scope) -> String {
        let (sum, first) = self.comparison(scope);
        let and = match self.random.below(8) {
            0 => "&&",
            1 => "||",
            _ => return first,
        };
        let (other_sum, second) = self.comparison(scope);
        // Two comparisons of the same may contradict each other, of which compilers warn.
        if sum == other_sum {
            return first;
        }
        format!("{first} {and} {second}")
    }

    /// A sum, and its comparison with a constant that it may well have: both answers are often feasible.
    fn comparison(&mut self, scope: &Scope) -> (String, String) {
        let mut names = self.names(scope, 2);
        // Inputs keep it symbolic.
        if !names
            .iter()
            .any(|name| self.units[scope.unit].inputs.contains(name))
        {
            names[0] = self.input(scope);
        }
        let sum = self.sum(&names);
        let operator = match self.random.below(20) {
            0 => "==",
            1 => "!=",
            2..8 => "<",
            8..11 => "<=",
            11..17 => ">",
            _ => ">=",
        };
        let limit = self.constant(names.len() as u64 * INPUT);
        let comparison = format!("{sum} {operator} {limit}");
        (sum, comparison)
    }

    /// A number of different variables.
    fn names(&mut self, scope: &Scope, most: u64) -> Vec<String> {
        let mut names: Vec<String> = Vec::new();
        for _ in 0..self.random.within(1, most) {
            let name = match self.random.below(10) {
                0..2 if !scope.values.is_empty() => self.one_of(&scope.values),
                2..4 => self.state(scope),
                4 if !scope.counters.is_empty() => self.one_of(&scope.counters),
                5 => {
                    let unit = self.random.below(self.units.len() as u64) as usize;
                    self.random
                        .pick(&self.units[unit].inputs)
                        .cloned()
                        .unwrap_or_default()
                }
                _ => self.input(scope),
            };
            if !names.contains(&name) {
                names.push(name);
            }
        }
        names
    }

    fn one_of(&mut self, names: &[String]) -> String {
        self.random.pick(names).cloned().unwrap_or_default()
    }

    fn input(&mut self, scope: &Scope) -> String {
        self.random
            .pick(&self.units[scope.unit].inputs)
            .cloned()
            .unwrap_or_default()
    }

    fn state(&mut self, scope: &Scope) -> String {
        self.random
            .pick(&self.units[scope.unit].state)
            .cloned()
            .unwrap_or_default()
    }

    /// What may be assigned to.
    fn target(&mut self, scope: &Scope) -> String {
        if self.random.below(3) == 0 && !scope.locals.is_empty() {
            return self.one_of(&scope.locals);
        }
        self.state(scope)
    }

    /// An expression within [`VALUE`].
    fn value(&mut self, scope: &Scope) -> String {
        match self.random.below(8) {
            0 => self.constant(INPUT),
            1 => self.state(scope),
            2 if !scope.values.is_empty() => self.one_of(&scope.values),
            _ => self.small(scope),
        }
    }

    /// An expression of inputs, within [`SMALL`].
    fn small(&mut self, scope: &Scope) -> String {
        let mut names: Vec<String> = Vec::new();
        for _ in 0..self.random.within(1, 2) {
            let name = self.input(scope);
            if !names.contains(&name) {
                names.push(name);
            }
        }
        let mut sum = self.sum(&names);
        if self.random.below(2) == 0 {
            let _ = write!(sum, " + {}", self.random.within(1, INPUT));
        }
        sum
    }

    fn sum(&mut self, names: &[String]) -> String {
        let mut sum = String::new();
        for name in names {
            let term = self.term(name);
            let sign = match (sum.is_empty(), self.random.below(3)) {
                (true, 0) => "-",
                (true, _) => "",
                (false, 0) => " - ",
                (false, _) => " + ",
            };
            sum.push_str(sign);
            sum.push_str(&term);
        }
        sum
    }

    /// Mostly the variable itself.
    fn term(&mut self, name: &str) -> String {
        match self.random.below(4 * COEFFICIENT) {
            coefficient @ 2..=COEFFICIENT => format!("{coefficient} * {name}"),
            _ => name.to_string(),
        }
    }

    fn constant(&mut self, most: u64) -> String {
        let value = self.random.within(0, most);
        if self.random.below(2) == 0 && value > 0 {
            return format!("-{value}");
        }
        value.to_string()
    }

    fn line(&mut self, depth: usize, text: &str) {
        if !text.is_empty() {
            self.text.push_str(&"    ".repeat(depth));
            self.text.push_str(text);
        }
        self.text.push('\n');
        self.lines += 1;
    }
}

#[cfg(test)]
mod tests {
    use super::program;

    #[test]
    fn a_seed_makes_one_program() {
        assert_eq!(program(7, 1000), program(7, 1000));
        assert_ne!(program(7, 1000), program(8, 1000));
    }

    #[test]
    fn programs_are_as_long_as_asked() {
        for lines in [1000, 5000, 20_000] {
            for seed in 0..5 {
                let found = program(seed, lines).lines().count();
                assert!(
                    found.abs_diff(lines) <= lines / 10,
                    "{found} lines of {lines}, seed {seed}"
                );
            }
        }
    }

    /// Braces match, and every function but `main` is called.
    #[test]
    fn programs_are_whole() {
        let text = program(3, 5000);
        let count = |what: char| text.chars().filter(|&found| found == what).count();
        assert_eq!(count('{'), count('}'));
        assert_eq!(count('('), count(')'));
        for line in text
            .lines()
            .filter(|line| line.starts_with("static int unit"))
        {
            let name = line
                .trim_start_matches("static int ")
                .split('(')
                .next()
                .unwrap_or_default();
            let call = format!("= {name}(");
            assert!(text.contains(&call), "{name} is not called");
        }
    }

    /// Another text for a seed would be another study: this is what the first one is known by.
    #[test]
    fn the_text_stays_what_it_is() {
        let text = program(1, 300);
        let hash = { text.bytes() }.fold(0xcbf2_9ce4_8422_2325_u64, |hash, byte| {
            (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
        });
        assert_eq!(hash, 5_471_835_316_007_429_282, "{text}");
    }
}
