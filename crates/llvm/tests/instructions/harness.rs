//! Runs small functions of the text form of bitcode natively and on the machine, on the same inputs.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::io::Write as _;
use std::path::Path;
use std::process::{Command, Stdio};

use refrain_explore::paths::{self, Bounds};
use refrain_llvm::load::Options;
use refrain_llvm::machine::{End, Machine, State};
use refrain_llvm::memory::Value;
use refrain_llvm::native::Detached;
use refrain_llvm::program::assemble;
use refrain_machine::ExitStatus;
use refrain_machine::Machine as _;
use refrain_solver::native::Native as Solver;
use refrain_term::{Assignment, Bv, Evaluator, Op, Sort, Term, Terms};

use crate::support::compile;
use crate::support::random::Random;

pub const IN: usize = 128;
pub const OUT: usize = 64;

/// A floating-point format: its name, the bits of its exponent and of the fraction behind it.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Format {
    pub name: &'static str,
    pub suffix: &'static str,
    pub exponent: u32,
    pub fraction: u32,
    /// The first bit of the fraction stands before the point, and is written down.
    pub explicit: bool,
}

pub const HALF: Format = Format {
    name: "half",
    suffix: "f16",
    exponent: 5,
    fraction: 10,
    explicit: false,
};
pub const SINGLE: Format = Format {
    name: "float",
    suffix: "f32",
    exponent: 8,
    fraction: 23,
    explicit: false,
};
pub const DOUBLE: Format = Format {
    name: "double",
    suffix: "f64",
    exponent: 11,
    fraction: 52,
    explicit: false,
};
pub const X87: Format = Format {
    name: "x86_fp80",
    suffix: "f80",
    exponent: 15,
    fraction: 64,
    explicit: true,
};
pub const QUAD: Format = Format {
    name: "fp128",
    suffix: "f128",
    exponent: 15,
    fraction: 112,
    explicit: false,
};

impl Format {
    pub fn bits(self) -> u32 {
        1 + self.exponent + self.fraction
    }

    pub fn make(self, negative: bool, exponent: u64, fraction: u128) -> u128 {
        let mut fraction = fraction & !(!0 << self.fraction);
        if self.explicit {
            let top = 1 << (self.fraction - 1);
            fraction = if exponent == 0 {
                fraction & !top
            } else {
                fraction | top
            };
        }
        u128::from(negative) << (self.bits() - 1) | u128::from(exponent) << self.fraction | fraction
    }

    fn is_nan(self, bits: u128) -> bool {
        let all = !(!0u128 << self.exponent);
        let top = if self.explicit {
            1 << (self.fraction - 1)
        } else {
            0
        };
        let fraction = bits & !(!0 << self.fraction) & !top;
        bits >> self.fraction & all == all && fraction != 0
    }

    fn random(self, random: &mut Random) -> u128 {
        let all = !(!0u64 << self.exponent);
        let bias = all >> 1;
        let near = |random: &mut Random| bias - 4 + random.below(12) as u64;
        let exponent = match random.below(12) {
            0 => 0,
            1 => all,
            2 => 1,
            3 => all - 1,
            4 | 5 => random.next() & all,
            6 => (bias + u64::from(self.fraction) - 2 + random.below(5) as u64).min(all - 1),
            _ => near(random),
        };
        let fraction = match random.below(6) {
            0 | 1 => 0,
            2 => !0,
            3 => 1 << (self.fraction - 1 - u32::from(self.explicit)),
            4 => 1 << random.below(self.fraction as usize),
            _ => u128::from(random.next()) << 64 | u128::from(random.next()),
        };
        self.make(random.one_in(2), exponent, fraction)
    }
}

#[derive(Clone, Copy, Debug)]
pub enum Kind {
    /// So many integers of so many bits, packed.
    Int {
        lanes: u32,
        bits: u32,
    },
    Float(Format),
    /// A float below a power of two.
    Within {
        format: Format,
        power: u32,
        signed: bool,
    },
}

/// A function and what it reads and writes.
pub struct Case {
    pub label: String,
    /// `@F` stands for the function's own name.
    pub text: String,
    /// Where in the input an operand is.
    pub operands: Vec<(usize, Kind)>,
    /// Floats in the output: not-a-numbers are all alike.
    pub floats: Vec<(usize, Format)>,
    /// Symbolic input may be too much for it.
    pub partial: bool,
    /// It may be unsupported, but not wrong.
    pub missing: bool,
    /// Not-a-numbers that signal are kept from it.
    pub quiet: bool,
}

impl Case {
    pub fn new(label: impl Into<String>, text: impl Into<String>) -> Case {
        Case {
            label: label.into(),
            text: text.into(),
            operands: Vec::new(),
            floats: Vec::new(),
            partial: false,
            missing: false,
            quiet: false,
        }
    }

    pub fn int(self, at: usize, bits: u32) -> Case {
        self.lanes(at, 1, bits)
    }

    pub fn lanes(mut self, at: usize, lanes: u32, bits: u32) -> Case {
        self.operands.push((at, Kind::Int { lanes, bits }));
        self
    }

    pub fn float(mut self, at: usize, format: Format) -> Case {
        self.operands.push((at, Kind::Float(format)));
        self.partial = true;
        self
    }

    pub fn within(mut self, at: usize, format: Format, power: u32, signed: bool) -> Case {
        self.operands.push((
            at,
            Kind::Within {
                format,
                power,
                signed,
            },
        ));
        self.partial = true;
        self
    }

    pub fn gives(mut self, at: usize, format: Format) -> Case {
        self.floats.push((at, format));
        self
    }

    pub fn quiet(mut self) -> Case {
        self.quiet = true;
        self
    }

    pub fn missing(mut self) -> Case {
        self.missing = true;
        self.partial()
    }

    pub fn partial(mut self) -> Case {
        self.partial = true;
        self
    }

    fn symbolic_bytes(&self) -> Vec<usize> {
        let bytes = self
            .operands
            .iter()
            .flat_map(|&(at, kind)| at..at + kind.bytes());
        bytes.collect()
    }

    fn input(&self, random: &mut Random) -> [u8; IN] {
        let mut input = [0; IN];
        for &(at, kind) in &self.operands {
            let mut bytes = kind.random(random);
            if let (true, Kind::Float(format)) = (self.quiet, kind) {
                let mut word = [0; 16];
                word[..bytes.len()].copy_from_slice(&bytes);
                let mut bits = u128::from_le_bytes(word);
                if format.is_nan(bits) {
                    bits |= 1 << (format.fraction - 1 - u32::from(format.explicit));
                }
                let len = bytes.len();
                bytes.copy_from_slice(&bits.to_le_bytes()[..len]);
            }
            input[at..at + bytes.len()].copy_from_slice(&bytes);
        }
        input
    }

    fn same(&self, a: &[u8; OUT], b: &[u8; OUT]) -> bool {
        let (mut a, mut b) = (*a, *b);
        for &(at, format) in &self.floats {
            let bytes = (format.bits() / 8) as usize;
            let read = |out: &[u8; OUT]| {
                let mut word = [0; 16];
                word[..bytes].copy_from_slice(&out[at..at + bytes]);
                u128::from_le_bytes(word)
            };
            if format.is_nan(read(&a)) && format.is_nan(read(&b)) {
                a[at..at + bytes].fill(0);
                b[at..at + bytes].fill(0);
            }
        }
        a == b
    }
}

impl Kind {
    fn bytes(self) -> usize {
        let bits = match self {
            Kind::Int { lanes, bits } => lanes * bits,
            Kind::Float(format) | Kind::Within { format, .. } => format.bits(),
        };
        bits.div_ceil(8) as usize
    }

    fn random(self, random: &mut Random) -> Vec<u8> {
        let mut bytes = vec![0; self.bytes()];
        match self {
            Kind::Int { lanes, bits } => {
                let mut place = 0;
                for _ in 0..lanes {
                    for bit in integer(random, bits) {
                        bytes[place / 8] |= u8::from(bit) << (place % 8);
                        place += 1;
                    }
                }
                // What is beyond the type is cut off before it is used.
                while place < 8 * bytes.len() {
                    bytes[place / 8] |= u8::from(random.one_in(2)) << (place % 8);
                    place += 1;
                }
            }
            Kind::Float(format) => {
                bytes.copy_from_slice(&format.random(random).to_le_bytes()[..self.bytes()]);
            }
            Kind::Within {
                format,
                power,
                signed,
            } => {
                let bias = (1u64 << (format.exponent - 1)) - 1;
                let highest = u64::from(power).min(bias + 1);
                let exponent = match random.below(4) {
                    0 => bias + highest - 1,
                    1 => bias - 1 - random.below(3) as u64,
                    _ => bias + random.below(highest as usize) as u64,
                };
                let fraction = match random.below(3) {
                    0 => 0,
                    1 => !0,
                    _ => u128::from(random.next()) << 64 | u128::from(random.next()),
                };
                let float = format.make(signed && random.one_in(2), exponent, fraction);
                bytes.copy_from_slice(&float.to_le_bytes()[..self.bytes()]);
            }
        }
        bytes
    }
}

/// The bits of an integer, more often one at a boundary.
pub fn integer(random: &mut Random, bits: u32) -> Vec<bool> {
    let mut value: Vec<bool> = (0..bits).map(|_| random.one_in(2)).collect();
    let last = bits as usize - 1;
    match random.below(10) {
        0 => value.fill(false),
        1 => value.fill(true),
        2 => {
            value.fill(false);
            value[0] = true;
        }
        3 => {
            value.fill(false);
            value[last] = true;
        }
        4 => {
            value.fill(true);
            value[last] = false;
        }
        5 => {
            value.fill(false);
            value[random.below(bits as usize)] = true;
        }
        6 => {
            // Small, of either sign.
            let sign = random.one_in(2);
            let keep = 4.min(last);
            value[keep..].fill(sign);
        }
        7 => {
            let from = random.below(bits as usize);
            value[from..].fill(false);
        }
        _ => {}
    }
    value
}

const DRIVER: &str = r#"
#include <stdio.h>
#include <string.h>
extern unsigned char in[128], out[64];
extern int (*const functions[])(void);
int main(void) {
    unsigned char record[130];
    while (fread(record, 1, 130, stdin) == 130) {
        memset(out, 0, 64);
        memcpy(in, record + 2, 128);
        functions[record[0] | record[1] << 8]();
        fwrite(out, 1, 64, stdout);
    }
    return 0;
}
"#;

/// Declares every intrinsic that is called.
fn declarations(text: &str) -> String {
    let mut found = BTreeMap::new();
    for (start, _) in text.match_indices("@llvm.") {
        let line_start = text[..start].rfind('\n').map_or(0, |at| at + 1);
        let Some(result) = text[line_start..start].split("call ").nth(1) else {
            continue;
        };
        let Some(open) = text[start..].find('(') else {
            continue;
        };
        let name = &text[start..start + open];
        let rest = &text[start + open + 1..];
        let (mut depth, mut types, mut from) = (0, Vec::new(), 0);
        for (at, c) in rest.char_indices() {
            if (c == ',' || c == ')') && depth == 0 {
                let arg = rest[from..at].trim();
                if arg.starts_with("ptr ") {
                    types.push("ptr".to_string());
                } else if let Some(space) = arg.rfind(' ') {
                    types.push(arg[..space].to_string());
                }
                from = at + 1;
            }
            match c {
                '(' | '<' | '{' | '[' => depth += 1,
                ')' if depth == 0 => break,
                ')' | '>' | '}' | ']' => depth -= 1,
                _ => {}
            }
        }
        found.insert(
            name.to_string(),
            format!("declare {result}{name}({})\n", types.join(", ")),
        );
    }
    found.into_values().collect()
}

fn module(cases: &[Case]) -> String {
    let mut text = String::from(
        "target datalayout = \"e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128\"\n\
         target triple = \"x86_64-unknown-linux-gnu\"\n\
         @in = global [128 x i8] zeroinitializer, align 32\n@out = global [64 x i8] zeroinitializer, align 32\n",
    );
    for (index, case) in cases.iter().enumerate() {
        text += &case.text.replace("@F", &format!("@f{index}"));
        text.push('\n');
    }
    let names: Vec<String> = (0..cases.len())
        .map(|index| format!("ptr @f{index}"))
        .collect();
    let _ = writeln!(
        text,
        "@functions = constant [{} x ptr] [{}]",
        cases.len(),
        names.join(", ")
    );
    let declared = declarations(&text);
    text + &declared
}

fn run(command: &mut Command) -> Result<(), String> {
    let output = command
        .output()
        .map_err(|error| format!("{command:?}: {error}"))?;
    if output.status.success() {
        return Ok(());
    }
    let said = String::from_utf8_lossy(&output.stderr);
    let said: String = said.chars().take(3000).collect();
    Err(format!("{command:?}: {}\n{said}", output.status))
}

fn compile_native(clang: &Path, directory: &Path, source: &Path) -> Result<(), String> {
    std::fs::write(directory.join("driver.c"), DRIVER).map_err(|error| error.to_string())?;
    run(Command::new(clang)
        .current_dir(directory)
        .args(["-O1", "-Xclang", "-disable-llvm-passes", "-w"])
        .args(["-fno-pie", "-no-pie", "driver.c"])
        .args(["-x", "ir"])
        .arg(source)
        .args(["-o", "native", "-lm"]))
}

fn native(directory: &Path, records: &[(usize, [u8; IN])]) -> Result<Vec<[u8; OUT]>, String> {
    let mut child = Command::new(directory.join("native"))
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .map_err(|error| error.to_string())?;
    let mut bytes = Vec::new();
    for (function, input) in records {
        bytes.extend((*function as u16).to_le_bytes());
        bytes.extend(input);
    }
    let mut stdin = child.stdin.take().expect("it is piped");
    let writer = std::thread::spawn(move || stdin.write_all(&bytes));
    let output = child
        .wait_with_output()
        .map_err(|error| error.to_string())?;
    let _ = writer.join();
    if output.stdout.len() != OUT * records.len() {
        let done = output.stdout.len() / OUT;
        return Err(format!(
            "native code died in {}: {}",
            records[done].0, output.status
        ));
    }
    Ok(output
        .stdout
        .chunks(OUT)
        .map(|chunk| chunk.try_into().expect("its size"))
        .collect())
}

struct Runner {
    machine: Machine,
    state: State,
    terms: Terms,
    variables: Vec<Term>,
    input: u64,
    output: u64,
}

/// A path's conditions and what it wrote.
type Found = (Vec<Term>, Result<Vec<Value>, String>);

impl Runner {
    /// All paths of a function, where some bytes of the input are symbolic and the others are given.
    fn explore(
        &mut self,
        function: usize,
        symbolic: &[usize],
        given: &[u8; IN],
    ) -> Result<Vec<Found>, String> {
        let mut state = self.machine.fork(&mut self.state);
        for (index, &byte) in given.iter().enumerate() {
            let value = if symbolic.contains(&index) {
                Value::Symbolic(self.variables[index])
            } else {
                Value::Concrete(u64::from(byte))
            };
            let at = self.input + index as u64;
            state
                .memory
                .store(&mut self.terms, at, 1, value)
                .map_err(|fault| format!("{fault:?}"))?;
        }
        self.machine
            .start(&mut state, &format!("f{function}"), &[b"f".to_vec()], &[])
            .map_err(|error| error.to_string())?;
        let bounds = Bounds {
            paths: 400,
            instructions: 100_000,
            ..Bounds::default()
        };
        let mut found = Vec::new();
        let output = self.output;
        paths::explore(
            &mut self.machine,
            &mut self.terms,
            &mut Solver::default(),
            state,
            &bounds,
            |_, terms, mut path| {
                let outcome = match &path.end {
                    paths::PathEnd::Machine(End::Exit(ExitStatus::Known(0))) => (0..OUT as u64)
                        .map(|index| {
                            path.state
                                .memory
                                .load(terms, output + index, 1)
                                .map_err(|fault| format!("{fault:?}"))
                        })
                        .collect(),
                    paths::PathEnd::Machine(End::Unsupported(what)) => {
                        Err(format!("unsupported: {what:?}"))
                    }
                    paths::PathEnd::Machine(end) => Err(format!("{end:?}")),
                    paths::PathEnd::OutOfFuel => Err("out of fuel".into()),
                    paths::PathEnd::Unknown(_) => Err("unknown".into()),
                };
                found.push((path.conditions, outcome));
                true
            },
        );
        Ok(found)
    }

    /// What the paths say the function writes on an input.
    fn predict(&self, found: &[Found], input: &[u8; IN]) -> Result<[u8; OUT], String> {
        let mut assignment = Assignment::new();
        for (&variable, &byte) in self.variables.iter().zip(input) {
            if let Op::Var(id) = self.terms.op(variable) {
                assignment.set(id, Bv::new(8, u64::from(byte)));
            }
        }
        let mut evaluator = Evaluator::new();
        let mut taken = Vec::new();
        for (index, (conditions, _)) in found.iter().enumerate() {
            if conditions
                .iter()
                .all(|&condition| evaluator.bool(&self.terms, &assignment, condition))
            {
                taken.push(index);
            }
        }
        let [only] = taken[..] else {
            return Err(format!("takes paths {taken:?} of {}", found.len()));
        };
        let values = found[only].1.as_ref().map_err(Clone::clone)?;
        let mut output = [0; OUT];
        for (byte, &value) in output.iter_mut().zip(values) {
            *byte = match value {
                Value::Concrete(value) => value as u8,
                Value::Symbolic(term) => evaluator.small(&self.terms, &assignment, term) as u8,
            };
        }
        Ok(output)
    }
}

fn hex(bytes: &[u8]) -> String {
    let used = bytes
        .iter()
        .rposition(|&byte| byte != 0)
        .map_or(1, |at| at + 1);
    bytes[..used]
        .iter()
        .rev()
        .map(|byte| format!("{byte:02x}"))
        .collect()
}

fn describe(case: &Case, input: &[u8; IN]) -> String {
    let parts = case.operands.iter().map(|&(at, kind)| {
        let bytes: String = input[at..at + kind.bytes()]
            .iter()
            .rev()
            .map(|byte| format!("{byte:02x}"))
            .collect();
        format!("{at}: {bytes}")
    });
    parts.collect::<Vec<_>>().join(", ")
}

/// The version of the compiler, as far as its name tells.
pub fn version() -> u32 {
    let clangs = compile::clangs();
    let name = clangs
        .first()
        .and_then(|clang| clang.file_name()?.to_str()?.strip_prefix("clang-"));
    name.and_then(|version| version.parse().ok()).unwrap_or(0)
}

/// Checks all cases, or says that there is no compiler.
pub fn check(name: &str, cases: &[Case], inputs: usize, seed: u64) {
    let Some(clang) = compile::clang_or_skip() else {
        return;
    };
    let directory = tempfile::tempdir().expect("a directory for the compiler");
    let wrong = check_with(&clang, directory.path(), cases, inputs, seed)
        .unwrap_or_else(|error| vec![error]);
    assert!(
        wrong.is_empty(),
        "{name}: {} wrong\n{}",
        wrong.len(),
        wrong.join("\n")
    );
}

fn check_with(
    clang: &Path,
    directory: &Path,
    cases: &[Case],
    inputs: usize,
    seed: u64,
) -> Result<Vec<String>, String> {
    let source = directory.join("program.ll");
    std::fs::write(&source, module(cases)).map_err(|error| error.to_string())?;
    if let Some(copy) = std::env::var_os("REFRAIN_INSTRUCTIONS_COPY") {
        std::fs::copy(&source, copy).map_err(|error| error.to_string())?;
    }
    let bitcode = directory.join("program.bc");
    run(Command::new(clang)
        .args([
            "-c",
            "-emit-llvm",
            "-Xclang",
            "-disable-llvm-passes",
            "-w",
            "-x",
            "ir",
        ])
        .arg(&source)
        .arg("-o")
        .arg(&bitcode))?;
    compile_native(clang, directory, &source)?;
    let mut random = Random::new(seed);
    let records: Vec<(usize, [u8; IN])> = cases
        .iter()
        .enumerate()
        .flat_map(|(index, case)| {
            (0..inputs)
                .map(|_| (index, case.input(&mut random)))
                .collect::<Vec<_>>()
        })
        .collect();
    let expected = native(directory, &records)?;

    let bytes = std::fs::read(&bitcode).map_err(|error| error.to_string())?;
    let program = assemble([("program.bc", &bytes[..])], &[])
        .map_err(|error| error.to_string())?
        .program;
    let (machine, state) = Machine::new(program, Options::default(), Box::new(Detached))
        .map_err(|error| error.to_string())?;
    let mut terms = Terms::new();
    let variables = (0..IN)
        .map(|index| terms.var(&format!("in[{index}]"), Sort::BitVec(8)))
        .collect();
    let address = |name: &str| machine.linked().address_of(name).ok_or("a missing array");
    let (input, output) = (address("in")?, address("out")?);
    let mut runner = Runner {
        machine,
        state,
        terms,
        variables,
        input,
        output,
    };

    let mut wrong = Vec::new();
    for (index, case) in cases.iter().enumerate() {
        let range = index * inputs..(index + 1) * inputs;
        let runs: Vec<(&[u8; IN], &[u8; OUT])> = records[range.clone()]
            .iter()
            .map(|(_, input)| input)
            .zip(&expected[range])
            .collect();
        if let Err(error) = check_case(&mut runner, index, case, &runs, &mut random) {
            wrong.push(format!("{}: {error}", case.label));
        }
    }
    Ok(wrong)
}

fn check_case(
    runner: &mut Runner,
    index: usize,
    case: &Case,
    runs: &[(&[u8; IN], &[u8; OUT])],
    random: &mut Random,
) -> Result<(), String> {
    let compare = |runner: &Runner,
                   found: &[Found],
                   mode: &str,
                   input: &[u8; IN],
                   native: &[u8; OUT]|
     -> Result<(), String> {
        let got = match runner.predict(found, input) {
            Ok(got) => got,
            Err(error) if case.partial && error.starts_with("unsupported") => return Ok(()),
            Err(error) => return Err(format!("{mode}, {}: {error}", describe(case, input))),
        };
        if case.same(&got, native) {
            return Ok(());
        }
        Err(format!(
            "{mode}, {}: native {} machine {}",
            describe(case, input),
            hex(native),
            hex(&got)
        ))
    };
    let bytes = case.symbolic_bytes();
    let result = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| {
        for &(input, native) in runs {
            let found = runner.explore(index, &[], input)?;
            if let [(_, Err(what))] = &found[..]
                && !(case.missing && what.starts_with("unsupported"))
            {
                return Err(format!("concrete, {}: {what}", describe(case, input)));
            }
            compare(runner, &found, "concrete", input, native)?;
        }
        let found = runner.explore(index, &bytes, &[0; IN])?;
        for &(input, native) in runs {
            compare(runner, &found, "symbolic", input, native)?;
        }
        for (turn, &(input, native)) in runs.iter().take(3).enumerate() {
            // Whole operands, or single bytes.
            let half: Vec<usize> = if turn % 2 == 0 {
                let chosen: Vec<_> = case
                    .operands
                    .iter()
                    .filter(|_| random.one_in(2))
                    .copied()
                    .collect();
                chosen
                    .iter()
                    .flat_map(|&(at, kind)| at..at + kind.bytes())
                    .collect()
            } else {
                bytes.iter().copied().filter(|_| random.one_in(2)).collect()
            };
            let found = runner.explore(index, &half, input)?;
            compare(runner, &found, "half", input, native)?;
        }
        Ok(())
    }));
    result.unwrap_or_else(|_| Err("a panic".into()))
}
