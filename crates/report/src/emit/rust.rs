//! Tests in Rust: a module of the program's own file, which is how unit tests see what is private.
//!
//! A single function is called with its arguments as they would be written by hand, by the types in its source. A
//! whole program runs in a process of its own, since it may end it, and gets its input from functions that stand in
//! the place of the engine.

use std::fmt::Write;

use refrain_machine::{ErrorKind, Fault, Parameter};
use refrain_results::{Outcome, Test};
use syn::{FnArg, Item, ItemFn, Pat, ReturnType, Type, Visibility};

use super::rust_values::{No, value};
use super::{
    Options, chosen, command, comment, is_deadly, program_text, promise, rust_runtime, source,
};
use crate::{ReportError, Results, places, words};

pub fn rust(results: &Results, options: &Options) -> Result<String, ReportError> {
    let run = &results.run;
    if run.program.extension().is_none_or(|ending| ending != "rs") {
        let why = format!(
            "{} is no Rust source: --as c writes tests of C and C++ programs",
            run.program.display()
        );
        return Err(ReportError::Emit(why));
    }
    if results.run.world.is_symbolic() {
        let why = "tests with arguments, standard input or files: --as sh writes them";
        return Err(ReportError::Emit(why.into()));
    }
    let text = program_text(results)?;
    let file = syn::parse_file(&text)
        .map_err(|error| ReportError::Emit(format!("{}: {error}", run.program.display())))?;
    let tests = chosen(results, options);
    let mut code = header(results, options, tests.len());
    let stands =
        rust_runtime::code(|name| source::mentions(&text, name) && !source::defines(&text, name));
    if run.entry.is_empty() || run.entry == "main" {
        for test in &tests {
            code += &whole(test, options);
        }
        let returns = file.items.iter().any(|item| {
            matches!(item, Item::Fn(function) if function.sig.ident == "main"
                && !matches!(function.sig.output, ReturnType::Default))
        });
        let run = if returns {
            rust_runtime::RUN_RESULT
        } else {
            rust_runtime::RUN_PLAIN
        };
        for part in [
            rust_runtime::CHECK,
            run,
            rust_runtime::NAMES,
            rust_runtime::INPUTS,
        ] {
            code.push('\n');
            code += part;
        }
    } else {
        let target = Target::find(&file.items, &run.entry).map_err(ReportError::Emit)?;
        code += "\n#[allow(unused_imports)]\nuse super::*;\n";
        let mut calls = String::new();
        for test in &tests {
            calls += &target
                .test(test, &run.parameters, options)
                .map_err(ReportError::Emit)?;
        }
        if calls.contains("Aligned(") {
            code += "\n/// For what is pointed to.\n#[repr(align(16))]\nstruct Aligned<T>(T);\n";
        }
        code += &calls;
        if !stands.is_empty() {
            for part in [rust_runtime::NAMES, rust_runtime::INPUTS] {
                code.push('\n');
                code += part;
            }
        }
    }
    Ok(code + &stands)
}

fn header(results: &Results, options: &Options, tests: usize) -> String {
    let run = &results.run;
    let program = places::shown(&results.root, &run.program);
    let folder = run.program.parent().unwrap_or(&results.root);
    let path = places::from(folder, &options.file);
    let plural = if tests == 1 { "" } else { "s" };
    let name = results.program_name();
    let mut words = vec!["rustc"];
    if !run
        .rustflags
        .iter()
        .any(|flag| flag.starts_with("--edition"))
    {
        words.extend(["--edition", "2024"]);
    }
    words.extend(run.rustflags.iter().map(String::as_str));
    words.extend(["--test", &program]);
    let lines = [
        format!(
            "{tests} test{plural} of {program}, written by Refrain {}. They are a module of it, which is to be declared there:",
            run.version
        ),
        String::new(),
        "    #[cfg(test)]".into(),
        format!("    #[path = {:?}]", path.to_string_lossy()),
        "    mod refrain_tests;".into(),
        String::new(),
        "`cargo test` runs them then, or, of a file by itself:".into(),
        String::new(),
        format!(
            "    {} && {}",
            command(words),
            command([format!("./{name}").as_str()])
        ),
        String::new(),
        promise(results, options),
    ];
    lines.iter().map(|line| comment(line) + "\n").collect()
}

/// The attributes of a test that ends in an error: what stands above `fn`.
fn attributes(fault: &Fault, test: &Test, is_ignored: bool) -> String {
    let mut lines = format!("\n{}\n", comment(&words::headline(fault)));
    if !test.inputs.is_empty() {
        lines += &format!("{}\n", comment(&words::inputs(test)));
    }
    lines += "#[test]\n";
    if is_ignored {
        let why = format!(
            "{} would end the process of all tests, or not show",
            fault.kind
        );
        lines += &format!("#[ignore = {why:?}]\n");
    }
    lines
}

/// What a panic says for certain: of its first line, the longest part without `?`, which stands for what depends on
/// input.
fn panic_message(fault: &Fault) -> &str {
    let line = words::message(fault).lines().next().unwrap_or_default();
    let parts = line.split('?');
    parts.max_by_key(|part| part.len()).unwrap_or_default()
}

/// A test of the whole program.
fn whole(test: &Test, options: &Options) -> String {
    let name = test.name();
    let (mut code, end) = match &test.outcome {
        Outcome::Error(fault) => {
            let end = match fault.kind {
                _ if options.errors_only => Some("End::Ends".to_string()),
                ErrorKind::Panic => Some(format!("End::Panics({:?})", panic_message(fault))),
                _ if is_deadly(fault) => Some("End::Dies".to_string()),
                _ => None,
            };
            let end_or_any = end.clone().unwrap_or("End::Ends".into());
            (attributes(fault, test, end.is_none()), end_or_any)
        }
        Outcome::Exit { status, .. } => {
            ("\n#[test]\n".to_string(), format!("End::Exits({status})"))
        }
        Outcome::Unfinished(_) => return String::new(),
    };
    let inputs = test.inputs.iter();
    let inputs =
        inputs.map(|input| format!("({:?}, b\"{}\")", input.name, input.bytes.escape_ascii()));
    let inputs: Vec<String> = inputs.collect();
    // Writing to a string does not fail.
    let _ = writeln!(
        code,
        "fn {name}() {{\n    check({name:?}, &[{}], {end});\n}}",
        inputs.join(", ")
    );
    code
}

/// The function that is called, and how.
struct Target<'a> {
    function: &'a ItemFn,
    path: String,
}

impl<'a> Target<'a> {
    /// By its name, with or without the names of crate and modules in front.
    fn find(items: &'a [Item], entry: &str) -> Result<Target<'a>, String> {
        let mut found = Vec::new();
        collect(items, "", true, &mut found);
        // As it is written, below a crate's name, or by its last name alone.
        let whole = |path: &str| path == entry || entry.ends_with(&format!("::{path}"));
        let last = |path: &str| path.ends_with(&format!("::{entry}"));
        let meant = found.iter().find(|(path, ..)| whole(path));
        let meant = meant.or_else(|| found.iter().find(|(path, ..)| last(path)));
        let Some((path, is_seen, function)) = meant else {
            return Err(format!(
                "there is no function {entry} in the program's file; methods cannot be called"
            ));
        };
        let signature = &function.sig;
        let refusal = match () {
            () if !is_seen => "it is private to a module",
            () if signature.asyncness.is_some() => "it is async",
            () if signature.generics.type_params().next().is_some() => "it is generic",
            () if signature.generics.const_params().next().is_some() => "it is generic",
            () => "",
        };
        if !refusal.is_empty() {
            return Err(format!("no test can call {entry}: {refusal}"));
        }
        Ok(Target {
            function,
            path: path.clone(),
        })
    }

    fn types(&self) -> Vec<(String, &Type)> {
        let inputs = self.function.sig.inputs.iter();
        let types = inputs.filter_map(|input| match input {
            FnArg::Typed(typed) => {
                let name = match &*typed.pat {
                    Pat::Ident(ident) => ident.ident.to_string(),
                    _ => String::new(),
                };
                Some((name, &*typed.ty))
            }
            FnArg::Receiver(_) => None,
        });
        types.collect()
    }

    fn test(
        &self,
        test: &Test,
        parameters: &[Parameter],
        options: &Options,
    ) -> Result<String, String> {
        let types = self.types();
        let parameters: Vec<&Parameter> = parameters
            .iter()
            .filter(|parameter| !parameter.result)
            .collect();
        if types.len() != parameters.len() {
            return Err(format!(
                "{} has {} parameters in its source and {} in the run: it was compiled to something else",
                self.path,
                types.len(),
                parameters.len()
            ));
        }
        let mut arguments = Vec::new();
        for ((name, ty), in_order) in types.iter().zip(&parameters) {
            let by_name = parameters.iter().find(|parameter| parameter.name == *name);
            let parameter = by_name.unwrap_or(in_order);
            let input = test
                .inputs
                .iter()
                .find(|input| input.name == parameter.name);
            let bytes = input.map_or(&[][..], |input| &input.bytes);
            match value(ty, parameter, bytes) {
                Ok(argument) => arguments.push(argument),
                Err(No::Invalid(why)) => {
                    let why = format!(
                        "{} is left out: {name} has a value that its type has not, {why}.",
                        test.name()
                    );
                    return Ok(format!("\n{}\n", comment(&why)));
                }
                Err(No::Type) => {
                    return Err(format!(
                        "no value of the parameter {name} of {} can be written: its type is none of numbers, characters, text, and arrays, slices or pointers of them",
                        self.path
                    ));
                }
            }
        }
        let mut code = match &test.outcome {
            Outcome::Error(fault) => {
                let is_panic = fault.kind == ErrorKind::Panic;
                let mut lines = attributes(fault, test, !is_panic && !options.errors_only);
                if is_panic && !options.errors_only {
                    let _ = writeln!(
                        lines,
                        "#[should_panic(expected = {:?})]",
                        panic_message(fault)
                    );
                }
                lines
            }
            _ => "\n#[test]\n".to_string(),
        };
        let call = format!("{}({})", self.path, arguments.join(", "));
        let call = match self.function.sig.unsafety {
            Some(_) => format!("unsafe {{ {call} }}"),
            None => call,
        };
        let _ = writeln!(code, "fn {}() {{\n    let _ = {call};\n}}", test.name());
        Ok(code)
    }
}

/// All functions of modules that are in the file, with their paths, and whether a module at its end sees them.
fn collect<'a>(
    items: &'a [Item],
    front: &str,
    is_seen: bool,
    found: &mut Vec<(String, bool, &'a ItemFn)>,
) {
    for item in items {
        match item {
            Item::Fn(function) => {
                let is_public = front.is_empty() || !matches!(function.vis, Visibility::Inherited);
                found.push((
                    format!("{front}{}", function.sig.ident),
                    is_seen && is_public,
                    function,
                ));
            }
            Item::Mod(module) => {
                if let Some((_, items)) = &module.content {
                    let is_public =
                        front.is_empty() || !matches!(module.vis, Visibility::Inherited);
                    let front = format!("{front}{}::", module.ident);
                    collect(items, &front, is_seen && is_public, found);
                }
            }
            _ => {}
        }
    }
}
