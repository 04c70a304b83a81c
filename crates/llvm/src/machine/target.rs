//! What a search was told to reach: a line of the source, or a function by its name.

use super::coverage::own_body;
use super::{Machine, demangle};
use crate::ir::{LocId, Module};
use crate::load::{FunctionKind, Linked};

/// A place in the program: an instruction of a block.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Aim {
    pub function: u32,
    pub block: u32,
    pub inst: u32,
}

impl Machine {
    /// Says what [`refrain_machine::Goal::Target`] is: `FILE:LINE`, the file by as much of the end of its path as
    /// tells it from others, or a function.
    pub fn set_target(&mut self, target: &str) -> Result<(), String> {
        let line = target
            .rsplit_once(':')
            .and_then(|(file, line)| Some((file, line.parse::<u32>().ok()?)));
        let mut aims = match line {
            Some((file, line)) => self.aims_at_line(file, line)?,
            None => self.aims_at_function(target)?,
        };
        aims.sort_unstable();
        self.ways.set_aims(aims);
        Ok(())
    }

    /// Whether the target's code has run: its block at least was entered.
    pub fn is_target_covered(&self) -> bool {
        let aims = self.ways.aims().iter();
        let mut entered = aims.map(|aim| self.covered.is_block_covered(aim.function, aim.block));
        entered.any(|is_covered| is_covered)
    }

    fn aims_at_function(&self, name: &str) -> Result<Vec<Aim>, String> {
        let found = named(&self.linked, name);
        let own = found
            .into_iter()
            .filter(|&function| own_body(&self.linked, function).is_some());
        let aims: Vec<Aim> = own
            .map(|function| Aim {
                function,
                block: 0,
                inst: 0,
            })
            .collect();
        if aims.is_empty() {
            return Err(format!("the program defines no function {name}"));
        }
        Ok(aims)
    }

    fn aims_at_line(&self, file: &str, line: u32) -> Result<Vec<Aim>, String> {
        let mut aims = Vec::new();
        let mut nearest: Option<u32> = None;
        let mut file_is_known = false;
        let mut has_lines = false;
        for function in 0..self.linked.functions.len() as u32 {
            let Some((module, body)) = own_body(&self.linked, function) else {
                continue;
            };
            let module = &self.linked.program.modules[module];
            for (block, code) in body.blocks.iter().enumerate() {
                let mut is_first = true;
                for (inst, loc) in code.insts.iter().map(|inst| inst.loc).enumerate() {
                    has_lines |= loc != LocId(0);
                    let mut is_here = false;
                    each_place(module, loc, |path, at| {
                        if !ends_with_path(path, file) {
                            return;
                        }
                        file_is_known = true;
                        is_here |= at == line;
                        if at > 0
                            && nearest.is_none_or(|known| known.abs_diff(line) > at.abs_diff(line))
                        {
                            nearest = Some(at);
                        }
                    });
                    if is_here && std::mem::take(&mut is_first) {
                        aims.push(Aim {
                            function,
                            block: block as u32,
                            inst: inst as u32,
                        });
                    }
                }
            }
        }
        if !aims.is_empty() {
            return Ok(aims);
        }
        Err(match nearest {
            Some(nearest) => {
                format!("there is no code at {file}:{line}; the nearest is at line {nearest}")
            }
            None if file_is_known || has_lines => {
                format!("no code of the program comes from a file {file}")
            }
            None => {
                "the program has no debug information, which would tell lines (compile with -g)"
                    .into()
            }
        })
    }
}

/// The lines that an instruction comes from: its own, and those it was inlined at.
fn each_place(module: &Module, loc: LocId, mut visit: impl FnMut(&str, u32)) {
    let mut loc = loc;
    for _ in 0..64 {
        if loc == LocId(0) {
            return;
        }
        let Some(location) = module.debug.locations.get(loc.0 as usize) else {
            return;
        };
        let scope = location
            .scope
            .and_then(|scope| module.debug.scopes.get(scope.0 as usize));
        if let Some(scope) = scope {
            visit(&scope.file, location.line);
        }
        loc = location.inlined_at;
    }
}

/// Whether a path ends in the parts of another one.
fn ends_with_path(path: &str, end: &str) -> bool {
    let end = end.trim_start_matches("./");
    path == end
        || path
            .strip_suffix(end)
            .is_some_and(|before| end.starts_with('/') || before.ends_with('/'))
}

/// Functions with code that a name may mean: the symbol of that name, else what is called so in the source, with the
/// whole of its path or the end of it.
pub(super) fn named(linked: &Linked, name: &str) -> Vec<u32> {
    let has_code =
        |function: u32| matches!(linked.functions[function as usize].kind, FunctionKind::Code);
    if let Some(function) = linked.find(name).filter(|&function| has_code(function)) {
        return vec![function];
    }
    let mut whole = Vec::new();
    let mut partly = Vec::new();
    for (index, function) in linked.functions.iter().enumerate() {
        let index = index as u32;
        if !has_code(index) || linked.is_library(function.module) {
            continue;
        }
        let demangled = demangle(&function.name);
        // C++ has the parameters in its names, and templates their result too.
        let path = demangled.split('(').next().unwrap_or_default();
        if demangled == name || path == name {
            whole.push(index);
        } else if path
            .strip_suffix(name)
            .is_some_and(|before| before.ends_with("::"))
        {
            partly.push(index);
        }
    }
    if whole.is_empty() { partly } else { whole }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_end_in_whole_parts() {
        assert!(ends_with_path("/src/a/b.c", "b.c"));
        assert!(ends_with_path("/src/a/b.c", "a/b.c"));
        assert!(ends_with_path("/src/a/b.c", "./a/b.c"));
        assert!(ends_with_path("/src/a/b.c", "/src/a/b.c"));
        assert!(!ends_with_path("/src/a/bb.c", "b.c"));
        assert!(!ends_with_path("b.c", "a/b.c"));
    }
}
