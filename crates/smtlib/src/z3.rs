//! z3's parameters, which scripts set as options and tools on command lines. Those that mean something here are
//! handled where they occur; the others change no answer (strategies, seeds, how much is said) and are only known.

/// Parameters of no module.
const GLOBAL: &[&str] = &[
    "auto_config",
    "debug_ref_count",
    "dot_proof_file",
    "encoding",
    "memory_high_watermark",
    "memory_high_watermark_mb",
    "memory_max_alloc_count",
    "memory_max_size",
    "model",
    "model_validate",
    "rlimit",
    "smtlib2_compliant",
    "stats",
    "trace",
    "trace_file_name",
    "type_check",
    "unicode",
    "unsat_core",
    "verbose",
    "warning",
    "well_sorted_check",
];

const MODULES: &[&str] = &[
    "ackermannization",
    "model",
    "model_evaluator",
    "nlsat",
    "opt",
    "parallel",
    "parser",
    "pp",
    "proof",
    "rewriter",
    "sat",
    "sls",
    "smt",
    "solver",
    "tactic",
];

/// Whether z3 has a parameter of this name that changes no answer.
pub fn is_parameter(name: &str) -> bool {
    let name = name.to_ascii_lowercase().replace('-', "_");
    match name.split_once('.') {
        Some((module, parameter)) => !parameter.is_empty() && MODULES.contains(&module),
        None => GLOBAL.contains(&name.as_str()),
    }
}
