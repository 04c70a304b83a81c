//! Prints the register code of a program's functions whose names contain a text: `cargo run --example lowered FILE.bc
//! TEXT`.

use refrain_llvm::load::{FunctionKind, Options};
use refrain_llvm::machine::Machine;
use refrain_llvm::native::Detached;
use refrain_llvm::program;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut args = std::env::args().skip(1);
    let file = args.next().ok_or("which file?")?;
    let text = args.next().unwrap_or_default();
    let bytes = std::fs::read(&file)?;
    let assembled = program::assemble([(file.as_str(), bytes.as_slice())], &[])?;
    let (machine, _) = Machine::new(assembled.program, Options::default(), Box::new(Detached))?;
    for (index, function) in machine.linked().functions.iter().enumerate() {
        if !function.name.contains(&text) || !matches!(function.kind, FunctionKind::Code) {
            continue;
        }
        println!("{}:", function.name);
        match machine.linked().code(index as u32) {
            Ok(code) => {
                for (pc, i) in code.instrs.iter().enumerate() {
                    println!(
                        "{pc:5}  {:<12} x={} dst={} a={} b={}",
                        format!("{:?}", i.op),
                        i.x,
                        i.dst,
                        i.a,
                        i.b
                    );
                }
                println!("  calls: {:?}\n  slow: {:?}", code.calls, code.slow);
            }
            Err(what) => println!("  not lowered: {what}"),
        }
    }
    Ok(())
}
