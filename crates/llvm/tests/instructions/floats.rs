//! Floats, on numbers only: what depends on symbolic input is said to be unsupported.

use crate::arithmetic::{Ty, function};
use crate::harness::{Case, DOUBLE, Format, HALF, QUAD, SINGLE, X87, version};

fn load(format: Format, name: &str, at: usize) -> String {
    format!(
        "  %{name} = load {}, ptr getelementptr (i8, ptr @in, i64 {at}), align 1\n",
        format.name
    )
}

fn store(format: Format, name: &str) -> String {
    format!("  store {} %{name}, ptr @out, align 1\n", format.name)
}

pub fn floats() -> Vec<Case> {
    let mut cases = Vec::new();
    for format in [HALF, SINGLE, DOUBLE, X87, QUAD] {
        let name = format.name;
        let loads = load(format, "a", 0) + &load(format, "b", 32) + &load(format, "c", 64);
        let mut add = |label: String, body: String, gives: bool| {
            let case = Case::new(label, function(&(loads.clone() + &body)));
            let case = case.float(0, format).float(32, format).float(64, format);
            let case = if gives { case.gives(0, format) } else { case };
            let signals = !(case.label.starts_with("min") || case.label.starts_with("max"));
            cases.push(if signals { case } else { case.quiet() });
        };
        for op in ["fadd", "fsub", "fmul", "fdiv", "frem"] {
            if op == "frem" && format == QUAD {
                continue;
            }
            add(
                format!("{op} {name}"),
                format!("  %r = {op} {name} %a, %b\n{}", store(format, "r")),
                true,
            );
        }
        add(
            format!("fneg {name}"),
            format!("  %r = fneg {name} %a\n{}", store(format, "r")),
            true,
        );
        for predicate in [
            "false", "oeq", "ogt", "oge", "olt", "ole", "one", "ord", "ueq", "ugt", "uge", "ult",
            "ule", "une", "uno", "true",
        ] {
            add(
                format!("fcmp {predicate} {name}"),
                format!(
                    "  %r = fcmp {predicate} {name} %a, %b\n{}",
                    Ty::int(1).store("r", 0)
                ),
                false,
            );
            add(
                format!("fcmp {predicate} {name} of itself"),
                format!(
                    "  %r = fcmp {predicate} {name} %a, %a\n{}",
                    Ty::int(1).store("r", 0)
                ),
                false,
            );
        }
        for class in [
            1, 2, 3, 4, 8, 16, 32, 64, 96, 128, 256, 264, 504, 512, 516, 1023,
        ] {
            add(
                format!("is.fpclass {class} {name}"),
                format!(
                    "  %r = call i1 @llvm.is.fpclass.{}({name} %a, i32 {class})\n{}",
                    format.suffix,
                    Ty::int(1).store("r", 0)
                ),
                false,
            );
        }
        // Native code has no functions of the widest format's name everywhere.
        if format == QUAD {
            continue;
        }
        for op in [
            "fabs",
            "sqrt",
            "floor",
            "ceil",
            "trunc",
            "rint",
            "nearbyint",
            "round",
            "roundeven",
        ] {
            add(
                format!("{op} {name}"),
                format!(
                    "  %r = call {name} @llvm.{op}.{}({name} %a)\n{}",
                    format.suffix,
                    store(format, "r")
                ),
                true,
            );
        }
        add(
            format!("copysign {name}"),
            format!(
                "  %r = call {name} @llvm.copysign.{}({name} %a, {name} %b)\n{}",
                format.suffix,
                store(format, "r")
            ),
            true,
        );
        // Zeros of two signs are one to these: a sum makes them one.
        for op in ["minnum", "maxnum"] {
            add(
                format!("{op} {name}"),
                format!(
                    "  %q = call {name} @llvm.{op}.{}({name} %a, {name} %b)\n  %z = fcmp oeq {name} %q, zeroinitializer\n  %r = select i1 %z, {name} zeroinitializer, {name} %q\n{}",
                    format.suffix,
                    store(format, "r")
                )
                .replace("zeroinitializer", zero(format)),
                true,
            );
        }
        if format != HALF {
            add(
                format!("fma {name}"),
                format!(
                    "  %r = call {name} @llvm.fma.{}({name} %a, {name} %b, {name} %c)\n{}",
                    format.suffix,
                    store(format, "r")
                ),
                true,
            );
        }
        if format == SINGLE || format == DOUBLE {
            for op in ["minimum", "maximum"] {
                if version() < 17 {
                    continue;
                }
                add(
                    format!("{op} {name}"),
                    format!(
                        "  %r = call {name} @llvm.{op}.{}({name} %a, {name} %b)\n{}",
                        format.suffix,
                        store(format, "r")
                    ),
                    true,
                );
            }
            for power in [0, 1, 2, 3, 7, -1, -2, -3, -7] {
                add(
                    format!("powi {power} {name}"),
                    format!(
                        "  %r = call {name} @llvm.powi.{}.i32({name} %a, i32 {power})\n{}",
                        format.suffix,
                        store(format, "r")
                    ),
                    true,
                );
            }
        }
    }
    cases.extend(conversions());
    cases
}

fn zero(format: Format) -> &'static str {
    match format.name {
        "x86_fp80" => "0xK00000000000000000000",
        _ => "0.0",
    }
}

fn conversions() -> Vec<Case> {
    let mut cases = Vec::new();
    let all = [HALF, SINGLE, DOUBLE, X87, QUAD];
    for (index, &narrow) in all.iter().enumerate() {
        for &wide in &all[index + 1..] {
            for (op, from, to) in [("fpext", narrow, wide), ("fptrunc", wide, narrow)] {
                let body = format!(
                    "{}  %r = {op} {} %a to {}\n{}",
                    load(from, "a", 0),
                    from.name,
                    to.name,
                    store(to, "r")
                );
                let case = Case::new(
                    format!("{op} {} to {}", from.name, to.name),
                    function(&body),
                );
                cases.push(case.float(0, from).gives(0, to));
            }
        }
    }
    for &format in &all {
        for &bits in crate::arithmetic::WIDTHS {
            let ty = Ty::int(bits);
            for (op, signed) in [("fptosi", true), ("fptoui", false)] {
                if bits == 1 && signed {
                    continue;
                }
                let power = if signed { bits - 1 } else { bits };
                let body = format!(
                    "{}  %r = {op} {} %a to i{bits}\n{}",
                    load(format, "a", 0),
                    format.name,
                    ty.store("r", 0)
                );
                let case = Case::new(format!("{op} {} to i{bits}", format.name), function(&body));
                cases.push(case.within(0, format, power, signed));
                if bits <= 128 && format != X87 && format != QUAD {
                    let body = format!(
                        "{}  %r = call i{bits} @llvm.{op}.sat.i{bits}.{}({} %a)\n{}",
                        load(format, "a", 0),
                        format.suffix,
                        format.name,
                        ty.store("r", 0)
                    );
                    let case = Case::new(
                        format!("{op}.sat {} to i{bits}", format.name),
                        function(&body),
                    );
                    cases.push(case.float(0, format));
                }
            }
            for op in ["sitofp", "uitofp"] {
                // Native code of other formats is wrong there.
                if bits > 128 && format != DOUBLE {
                    continue;
                }
                let body = format!(
                    "{}  %r = {op} i{bits} %a to {}\n{}",
                    ty.load("a", 0),
                    format.name,
                    store(format, "r")
                );
                let case = Case::new(format!("{op} i{bits} to {}", format.name), function(&body));
                cases.push(case.int(0, bits).gives(0, format).partial());
            }
        }
    }
    cases
}
