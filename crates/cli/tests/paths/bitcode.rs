//! The programs as bitcode, compiled once for all configurations.

use std::fs;
use std::path::{Path, PathBuf};

use refrain_compile as compile;

use crate::corpus::Program;
use crate::oracle;

/// The program's own file, and what it needs beside it.
pub struct Files {
    pub program: PathBuf,
    pub with: Vec<PathBuf>,
}

pub fn build(program: &Program, folder: &Path) -> Files {
    let options = oracle::compile_options(program);
    let built = compile::to_bitcode(std::slice::from_ref(&program.source), &options)
        .unwrap_or_else(|error| panic!("{}: {error}", program.name));
    let files = built.modules.iter().enumerate().map(|(index, module)| {
        let path = folder.join(format!("{}.{index}.bc", program.name));
        fs::write(&path, &module.bytes).expect("a writable folder");
        path
    });
    let mut files: Vec<PathBuf> = files.collect();
    Files {
        program: files.remove(0),
        with: files,
    }
}
