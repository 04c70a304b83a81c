//! `refrain certify`: the results of a run are shown to be those of its program, without a solver.

use std::path::PathBuf;
use std::time::Instant;

use clap::Args;
use refrain_explore::certify::{Certificate, CertifyOptions, Recheck, certify};
use refrain_explore::memo::input_of;
use refrain_machine::InputValue;
use refrain_memo::{Below, Ending, Input, Leaf, Reading, Tree};
use refrain_results::{Outcome, Test, TestPack};
use refrain_solver::{Limits, select};

use crate::given::Given;
use crate::lines::Lines;
use crate::run::{Earlier, Prepared, open_tree};
use crate::{complain, show};

/// Show that the results of a run are those of its program, without a solver
///
/// The program is executed again along all paths of the run's memo tree. Every question, every input, every end and every
/// test is compared with what is there, and the tree is complete up to its bounds: nothing that a path could do is missing.
/// What is left to believe is that infeasible choices are infeasible; --recheck decides them again.
///
/// Exit status: 0 if everything is so, 1 if something is not, 2 if the program could not be run.
#[derive(Args)]
#[command(after_help = "Examples:
  refrain certify refrain-last
  refrain certify refrain-last --recheck --solver z3    by another solver than the run had")]
pub struct Arguments {
    /// The output directory of the run
    #[arg(value_name = "DIR")]
    directory: PathBuf,

    /// The program [default: the file that the run was of]
    #[arg(value_name = "PROGRAM")]
    program: Option<PathBuf>,

    /// Decide again that choices are infeasible
    #[arg(long)]
    recheck: bool,

    /// The solver for --recheck: native, z3, cvc5, yices, bitwuzla or smtlib:COMMAND
    #[arg(
        long,
        default_value = "native",
        value_name = "SPEC",
        requires = "recheck"
    )]
    solver: String,
}

pub fn run(arguments: &Arguments) -> Result<u8, String> {
    let mut solver = match arguments.recheck {
        true => {
            Some(select::from_spec(&arguments.solver, &select::Options::default()).map_err(text)?)
        }
        false => None,
    };
    let earlier = Earlier::open(&arguments.directory)?;
    if earlier.arguments.is_over_integers() {
        return Err(
            "the run was over mathematical integers: only machine words are certified".into(),
        );
    }
    let file = match &arguments.program {
        Some(program) => std::path::absolute(program).map_err(text)?,
        None => PathBuf::from(&earlier.run.named),
    };
    let told = earlier.arguments_with(&file, &Given::default())?;
    earlier.enter()?;
    let mut prepared = Prepared::new(&told)?;
    if prepared.digest != earlier.run.digest {
        return refused("the program is not the one that the run was of");
    }
    if let Err(why) = { prepared.files }.check(&earlier.run, earlier.directory.path()) {
        return refused(&why);
    }
    let started = Instant::now();
    let tree = match open_tree(&earlier.directory, &prepared.header, Reading::Strict) {
        Ok(tree) => tree,
        Err(error) => return refused(&error),
    };
    let options = CertifyOptions {
        instructions: told.max_instructions(),
        recheck: solver.as_mut().map(|solver| Recheck {
            solver: &mut **solver,
            limits: Limits::default(),
        }),
    };
    let certificate = match certify(&mut prepared.machine, &tree, options) {
        Ok(certificate) => certificate,
        Err(error) => return refused(&error.to_string()),
    };
    let pack = earlier.directory.tests().map_err(text)?;
    let tests = match check_tests(&tree, &pack) {
        Ok(tests) => tests,
        Err(error) => return refused(&error),
    };
    show(&summary(
        &certificate,
        tests,
        started.elapsed().as_secs_f64(),
    ));
    Ok(0)
}

fn text(error: impl ToString) -> String {
    error.to_string()
}

fn refused(why: &str) -> Result<u8, String> {
    complain(format!("not certified: {why}"));
    Ok(1)
}

fn summary(certificate: &Certificate, tests: usize, seconds: f64) -> String {
    let mut lines = Lines::default();
    lines.add(
        "certified",
        &format!(
            "{} paths, {} questions, {} inputs, {tests} tests, in {seconds:.2} s",
            certificate.paths, certificate.nodes, certificate.inputs
        ),
    );
    let trusted = match certificate.trusted.len() {
        0 => "none".to_string(),
        trusted => format!("{trusted} choices are said to be infeasible; --recheck decides them"),
    };
    lines.add("trusted", &trusted);
    if certificate.rechecked > 0 {
        lines.add(
            "rechecked",
            &format!("{} infeasible choices", certificate.rechecked),
        );
    }
    for (cause, count) in &certificate.boundaries {
        lines.add("unexplored", &format!("{count}: {cause}"));
    }
    lines.text().to_string()
}

/// That every test is of its path; how many there are.
fn check_tests(tree: &Tree, pack: &TestPack) -> Result<usize, String> {
    if let Some(damage) = pack.torn_tail().into_iter().chain(pack.damage()).next() {
        return Err(damage);
    }
    for edge in tree.every_edge() {
        let Below::Leaf(leaf) = tree.below(edge) else {
            continue;
        };
        if let Some(number) = leaf.test {
            let test = pack.read(number).map_err(text)?;
            let input = match tree.input(edge) {
                Some(Input::Bytes(bytes)) => input_of(&bytes),
                Some(Input::Test(_)) | None => None,
            };
            if !is_of_path(&test, &leaf, &input.unwrap_or_default()) {
                return Err(format!("{} is not of its path", test.name()));
            }
        }
    }
    let numbers = pack.numbers();
    for &number in &numbers {
        pack.read(number).map_err(text)?;
    }
    Ok(numbers.len())
}

/// One test may stand for all paths that end in the same error. Any other has the input of its path.
fn is_of_path(test: &Test, leaf: &Leaf<'_>, input: &[InputValue]) -> bool {
    match (leaf.ending, &test.outcome) {
        (Ending::Error(text), Outcome::Error(fault)) => text.starts_with(fault.kind.name()),
        (
            Ending::Exit(None),
            Outcome::Exit {
                depends_on_input, ..
            },
        ) => *depends_on_input && has_inputs(test, input),
        (Ending::Exit(Some(ended)), Outcome::Exit { status, .. }) => {
            ended == *status && has_inputs(test, input)
        }
        (Ending::Boundary(_) | Ending::Unsupported(_), Outcome::Unfinished(_)) => {
            has_inputs(test, input)
        }
        _ => false,
    }
}

fn has_inputs(test: &Test, input: &[InputValue]) -> bool {
    test.inputs.iter().all(|value| {
        let known = input
            .iter()
            .find(|known| (known.role, &known.name) == (value.role, &value.name));
        let byte = |at: usize| {
            known
                .and_then(|known| known.bytes.get(at))
                .copied()
                .unwrap_or(0)
        };
        value
            .bytes
            .iter()
            .enumerate()
            .all(|(at, &own)| own == byte(at))
    })
}
