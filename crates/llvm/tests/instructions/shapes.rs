//! Memory, aggregates, control flow and calls.

use crate::arithmetic::{Ty, function};
use crate::harness::{Case, version};
use crate::support::random::Random;

/// A function of one block that reads `%a`, `%b` and `%c` of a width.
fn block(label: &str, bits: &[u32], body: &str) -> Case {
    let loads: String = ["a", "b", "c", "d"]
        .iter()
        .zip(bits)
        .enumerate()
        .map(|(index, (name, &bits))| Ty::int(bits).load(name, 32 * index as u32))
        .collect();
    let case = Case::new(label, function(&(loads + body)));
    with(case, bits)
}

fn with(case: Case, bits: &[u32]) -> Case {
    bits.iter()
        .enumerate()
        .fold(case, |case, (index, &bits)| case.int(32 * index, bits))
}

/// A function of several blocks; `LOADS` stands for the loads.
fn blocks(label: &str, bits: &[u32], text: &str) -> Case {
    let loads: String = ["a", "b", "c", "d"]
        .iter()
        .zip(bits)
        .enumerate()
        .map(|(index, (name, &bits))| Ty::int(bits).load(name, 32 * index as u32))
        .collect();
    with(Case::new(label, text.replace("LOADS\n", &loads)), bits)
}

pub fn memory() -> Vec<Case> {
    let mut cases = Vec::new();
    for &bits in crate::arithmetic::WIDTHS {
        let size = bits.div_ceil(8);
        // What a store writes, and what it leaves alone.
        cases.push(block(
            &format!("store i{bits}"),
            &[bits],
            &format!("  store [40 x i8] c\"{}\", ptr @out\n  store i{bits} %a, ptr getelementptr (i8, ptr @out, i64 3), align 1\n", "\\55".repeat(40)),
        ));
        cases.push(block(
            &format!("load i{bits}"),
            &[bits],
            &format!(
                "  %m = alloca [64 x i8], align 16\n  %p = getelementptr i8, ptr %m, i64 5\n  store i{bits} %a, ptr %p, align 1\n\
                 \x20 %l = load i{bits}, ptr %p, align 1\n{}  %t = getelementptr i8, ptr %p, i64 {}\n  %u = load i8, ptr %t\n  store i8 %u, ptr getelementptr (i8, ptr @out, i64 40)\n",
                Ty::int(bits).store("l", 0),
                size - 1
            ),
        ));
        // At a symbolic address.
        let offset = "  %o = and i8 %b, 15\n  %ow = zext i8 %o to i64\n";
        cases.push(block(
            &format!("store i{bits} somewhere"),
            &[bits, 8],
            &format!("{offset}  %p = getelementptr i8, ptr @out, i64 %ow\n  store i{bits} %a, ptr %p, align 1\n"),
        ));
        cases.push(block(
            &format!("load i{bits} from somewhere"),
            &[bits, 8],
            &format!(
                "{offset}  %m = alloca [64 x i8], align 16\n  store [64 x i8] zeroinitializer, ptr %m\n  %q = getelementptr i8, ptr %m, i64 7\n  store i{bits} %a, ptr %q, align 1\n\
                 \x20 %e = getelementptr i8, ptr %m, i64 %ow\n  %l = load i{}, ptr %e, align 1\n{}",
                8 * size,
                Ty::int(8 * size).store("l", 0)
            ),
        ));
    }
    // All bytes are copied in; only those of fields come out.
    for (label, ty, size) in [
        ("structure", "{ i8, i32, i16 }", 10),
        ("packed structure", "<{ i8, i32, i16, i64 }>", 15),
        ("array of three bytes", "[3 x i24]", 12),
        ("nested structure", "{ i8, { i16, [2 x i32] }, i48 }", 22),
        ("vector in a structure", "{ i8, <4 x i16>, i8 }", 17),
        ("empty parts", "{ {}, i32, [0 x i64], i8 }", 9),
        ("x87 in a structure", "{ i32, x86_fp80 }", 26),
        ("wide field", "{ i64, i64, i128, i16 }", 34),
    ] {
        let text = format!(
            "  %m = alloca {ty}, align 16\n  %n = alloca {ty}, align 16\n  call void @llvm.memcpy.p0.p0.i64(ptr %m, ptr @in, i64 {size}, i1 false)\n\
             \x20 %v = load {ty}, ptr %m\n  store {ty} %v, ptr %n\n  %w = load {ty}, ptr %n\n  store {ty} %w, ptr @out\n"
        );
        cases.push(Case::new(label, function(&text)).lanes(0, size, 8));
    }
    cases.push(block(
        "vector of bits in a structure",
        &[8, 32],
        "  %m = alloca { <8 x i1>, i32 }\n  %v = bitcast i8 %a to <8 x i1>\n  %s = insertvalue { <8 x i1>, i32 } undef, <8 x i1> %v, 0\n\
         \x20 %t = insertvalue { <8 x i1>, i32 } %s, i32 %b, 1\n  store { <8 x i1>, i32 } %t, ptr %m\n  %l = load { <8 x i1>, i32 }, ptr %m\n\
         \x20 %x = extractvalue { <8 x i1>, i32 } %l, 0\n  %y = bitcast <8 x i1> %x to i8\n  store i8 %y, ptr @out\n  %z = load i8, ptr %m\n  store i8 %z, ptr getelementptr (i8, ptr @out, i64 1)\n",
    ).missing());
    for ty in [
        "<8 x i1>",
        "<16 x i1>",
        "<3 x i24>",
        "<4 x i13>",
        "<3 x i8>",
        "<3 x i32>",
        "<5 x i1>",
    ] {
        let bits = match ty {
            "<8 x i1>" => 8,
            "<16 x i1>" => 16,
            "<3 x i24>" => 72,
            "<4 x i13>" => 52,
            "<3 x i8>" => 24,
            "<5 x i1>" => 5,
            _ => 96,
        };
        cases.push(block(
            &format!("memory of {ty}"),
            &[bits],
            &format!("  %v = bitcast i{bits} %a to {ty}\n  store {ty} %v, ptr @out, align 1\n  %l = load {ty}, ptr @out, align 1\n  %r = bitcast {ty} %l to i{bits}\n{}", Ty::int(bits).store("r", 32)),
        ));
    }
    cases.push(block(
        "nested aggregates",
        &[8, 32, 128, 16],
        "  %x0 = insertvalue { i8, { i32, [2 x i16] }, i128 } zeroinitializer, i8 %a, 0\n\
         \x20 %x1 = insertvalue { i8, { i32, [2 x i16] }, i128 } %x0, i32 %b, 1, 0\n\
         \x20 %x2 = insertvalue { i8, { i32, [2 x i16] }, i128 } %x1, i128 %c, 2\n\
         \x20 %x3 = insertvalue { i8, { i32, [2 x i16] }, i128 } %x2, i16 %d, 1, 1, 1\n\
         \x20 %in = extractvalue { i8, { i32, [2 x i16] }, i128 } %x3, 1\n\
         \x20 %p = extractvalue { i32, [2 x i16] } %in, 1, 1\n  %q = extractvalue { i32, [2 x i16] } %in, 0\n\
         \x20 %y = insertvalue { i8, { i32, [2 x i16] }, i128 } zeroinitializer, { i32, [2 x i16] } %in, 1\n\
         \x20 %z = extractvalue { i8, { i32, [2 x i16] }, i128 } %y, 1, 1\n  %e = extractvalue [2 x i16] %z, 1\n\
         \x20 %w = extractvalue { i8, { i32, [2 x i16] }, i128 } %x3, 2\n  %f = extractvalue { i8, { i32, [2 x i16] }, i128 } %x3, 0\n\
         \x20 store i16 %p, ptr @out\n  store i32 %q, ptr getelementptr (i8, ptr @out, i64 4)\n  store i16 %e, ptr getelementptr (i8, ptr @out, i64 8)\n\
         \x20 store i128 %w, ptr getelementptr (i8, ptr @out, i64 16)\n  store i8 %f, ptr getelementptr (i8, ptr @out, i64 10)\n",
    ));
    cases.extend(addresses());
    cases.extend(masked());
    cases.extend(atomics());
    cases.extend(bulk());
    cases
}

fn addresses() -> Vec<Case> {
    let mut cases = Vec::new();
    for (label, index, mask) in [
        ("narrow", "i8", "and i8 %b, 15"),
        ("negative narrow", "i8", "or i8 %b, -16"),
        ("negative", "i16", "or i16 %b, -16"),
        ("odd", "i5", "and i5 %b, 15"),
        ("negative odd", "i5", "or i5 %b, -16"),
        ("word", "i32", "and i32 %b, 15"),
        ("negative word", "i32", "or i32 %b, -16"),
        ("wide", "i128", "and i128 %b, 15"),
        ("negative wide", "i128", "or i128 %b, -16"),
    ] {
        let bits: u32 = index[1..].parse().expect("a width");
        for (element, size) in [("i8", 1), ("i16", 2), ("{ i8, i8, i8 }", 3)] {
            let base = if label.starts_with("negative") {
                16 * size
            } else {
                0
            };
            cases.push(block(
                &format!("getelementptr {element} {label}"),
                &[8, bits],
                &format!(
                    "  %i = {mask}\n  %base = getelementptr i8, ptr @out, i64 {base}\n  %p = getelementptr {element}, ptr %base, {index} %i\n  store i8 %a, ptr %p\n\
                     \x20 %l = ptrtoint ptr %p to i64\n  %o = sub i64 %l, ptrtoint (ptr @out to i64)\n  store i64 %o, ptr getelementptr (i8, ptr @out, i64 56)\n"
                ),
            ));
        }
    }
    cases.push(block(
        "getelementptr of fields and arrays",
        &[8, 8],
        "  %i = and i8 %b, 3\n  %w = zext i8 %i to i64\n  %p = getelementptr { i16, [4 x { i8, i16 }], i8 }, ptr @out, i64 1, i32 1, i64 %w, i32 1\n  store i8 %a, ptr %p\n\
         \x20 %q = getelementptr [4 x { i8, i16 }], ptr @out, i64 0, i64 %w, i32 0\n  store i8 %a, ptr %q\n",
    ));
    cases.push(block(
        "getelementptr with a big step",
        &[8, 8],
        "  %i = and i8 %b, 1\n  %w = zext i8 %i to i64\n  %p = getelementptr [100000 x i8], ptr @out, i64 %w\n  %q = getelementptr [99999 x i8], ptr %p, i64 %w\n\
         \x20 %n = sub i64 0, %w\n  %r = getelementptr [199990 x i8], ptr %q, i64 %n\n  store i8 %a, ptr %r\n",
    ));
    cases.push(block(
        "getelementptr of vectors",
        &[32, 32],
        "  %m = and i32 %b, 50529027\n  %v = bitcast i32 %m to <4 x i8>\n  %p = getelementptr i32, ptr @out, <4 x i8> %v\n\
         \x20 %x = extractelement <4 x ptr> %p, i32 0\n  %y = extractelement <4 x ptr> %p, i32 3\n  store i32 %a, ptr %x\n  store i32 7, ptr %y\n",
    ));
    cases.push(block(
        "through a number",
        &[8, 8],
        "  %i = and i8 %b, 31\n  %w = zext i8 %i to i64\n  %n = add i64 ptrtoint (ptr @out to i64), %w\n  %p = inttoptr i64 %n to ptr\n  store i8 %a, ptr %p\n\
         \x20 %t = ptrtoint ptr %p to i32\n  %u = ptrtoint ptr @out to i32\n  %d = sub i32 %t, %u\n  store i32 %d, ptr getelementptr (i8, ptr @out, i64 40)\n\
         \x20 %x = ptrtoint ptr %p to i128\n  %y = lshr i128 %x, 64\n  store i128 %y, ptr getelementptr (i8, ptr @out, i64 48)\n",
    ));
    cases.push(block(
        "a choice of addresses",
        &[8, 1, 1],
        "  %m = alloca [8 x i8]\n  %n = alloca [8 x i8]\n  store i64 1, ptr %m\n  store i64 2, ptr %n\n  %p = select i1 %b, ptr %m, ptr %n\n  store i8 %a, ptr %p\n\
         \x20 %q = select i1 %c, ptr %m, ptr %n\n  %l = load i64, ptr %q\n  store i64 %l, ptr @out\n  %e = icmp eq ptr %p, %q\n  %z = zext i1 %e to i8\n  store i8 %z, ptr getelementptr (i8, ptr @out, i64 8)\n",
    ));
    cases
}

fn masked() -> Vec<Case> {
    let mut cases = Vec::new();
    for (lanes, bits) in [(4u32, 32u32), (8, 8), (3, 24), (2, 64), (4, 16)] {
        let ty = Ty { lanes, bits };
        let mask = Ty { lanes, bits: 1 };
        let (name, suffix) = (ty.name(), ty.suffix());
        let loads = mask.load("m", 64) + &ty.load("b", 32);
        let body = format!(
            "{loads}  %r = call {name} @llvm.masked.load.{suffix}.p0(ptr @in, i32 1, {} %m, {name} %b)\n{}",
            mask.name(),
            ty.store("r", 0)
        );
        let case = |label: &str, body: &str| {
            Case::new(format!("{label} {name}"), function(body))
                .lanes(0, lanes, bits)
                .lanes(32, lanes, bits)
                .lanes(64, lanes, 1)
        };
        // Vectors whose lanes native code does not keep side by side.
        if bits != 24 {
            cases.push(case("masked.load", &body));
            let body = format!(
                "{loads}  call void @llvm.masked.store.{suffix}.p0({name} %b, ptr @out, i32 1, {} %m)\n",
                mask.name()
            );
            cases.push(case("masked.store", &body));
        }
        let index = Ty { lanes, bits: 8 };
        let step: Vec<String> = (0..lanes)
            .map(|lane| format!("i8 {}", (lane * 7 + 3) % lanes))
            .collect();
        let at = format!(
            "  %s = add {} <{}>, zeroinitializer\n",
            index.name(),
            step.join(", ")
        );
        let element = format!("i{bits}");
        let body = format!(
            "{loads}{at}  %p = getelementptr {element}, ptr @in, {} %s\n  %r = call {name} @llvm.masked.gather.{suffix}.v{lanes}p0(<{lanes} x ptr> %p, i32 1, {} %m, {name} %b)\n{}",
            index.name(),
            mask.name(),
            ty.store("r", 0)
        );
        cases.push(case("masked.gather", &body));
        let body = format!(
            "{loads}{at}  %p = getelementptr {element}, ptr @out, {} %s\n  call void @llvm.masked.scatter.{suffix}.v{lanes}p0({name} %b, <{lanes} x ptr> %p, i32 1, {} %m)\n",
            index.name(),
            mask.name()
        );
        if bits != 24 {
            cases.push(case("masked.scatter", &body));
        }
    }
    cases
}

fn atomics() -> Vec<Case> {
    let mut cases = Vec::new();
    for bits in [8, 16, 32, 64] {
        let ty = Ty::int(bits);
        for op in [
            "xchg",
            "add",
            "sub",
            "and",
            "nand",
            "or",
            "xor",
            "max",
            "min",
            "umax",
            "umin",
            "uinc_wrap",
            "udec_wrap",
        ] {
            let case = block(
                &format!("atomicrmw {op} i{bits}"),
                &[bits, bits],
                &format!(
                    "  store i{bits} %a, ptr @out\n  %r = atomicrmw {op} ptr @out, i{bits} %b seq_cst\n{}",
                    ty.store("r", 16)
                ),
            );
            cases.push(if op.ends_with("wrap") {
                case.missing()
            } else {
                case
            });
        }
        for (label, expected) in [("any", "%b".to_string()), ("equal", "%a".to_string())] {
            cases.push(block(
                &format!("cmpxchg {label} i{bits}"),
                &[bits, bits, bits],
                &format!(
                    "  store i{bits} %a, ptr @out\n  %p = cmpxchg ptr @out, i{bits} {expected}, i{bits} %c seq_cst seq_cst\n\
                     \x20 %r = extractvalue {{ i{bits}, i1 }} %p, 0\n  %s = extractvalue {{ i{bits}, i1 }} %p, 1\n{}{}",
                    ty.store("r", 16),
                    Ty::int(1).store("s", 32)
                ),
            ));
        }
    }
    cases.push(block(
        "atomic load and store",
        &[64],
        "  store atomic i64 %a, ptr @out seq_cst, align 8\n  fence seq_cst\n  %l = load atomic i64, ptr @out acquire, align 8\n  store i64 %l, ptr getelementptr (i8, ptr @out, i64 8)\n",
    ));
    cases
}

fn bulk() -> Vec<Case> {
    let mut cases = Vec::new();
    for (op, from, to) in [("memmove", 0, 5), ("memmove", 5, 0), ("memcpy", 0, 32)] {
        for length in ["24", "%n"] {
            cases.push(
                Case::new(
                    format!("{op} {from} {to} {length}"),
                    function(&format!(
                        "  %l = load i8, ptr getelementptr (i8, ptr @in, i64 64)\n  %k = and i8 %l, 15\n  %n = zext i8 %k to i64\n\
                         \x20 %v = load [32 x i8], ptr @in\n  store [32 x i8] %v, ptr @out\n  call void @llvm.{op}.p0.p0.i64(ptr getelementptr (i8, ptr @out, i64 {to}), ptr getelementptr (i8, ptr @out, i64 {from}), i64 {length}, i1 false)\n"
                    )),
                )
                .lanes(0, 32, 8)
                .int(64, 8),
            );
        }
    }
    for length in ["24", "%n"] {
        cases.push(block(
            &format!("memset {length}"),
            &[8, 8],
            &format!("  %k = and i8 %b, 15\n  %n = zext i8 %k to i64\n  call void @llvm.memset.p0.i64(ptr getelementptr (i8, ptr @out, i64 3), i8 %a, i64 {length}, i1 false)\n"),
        ));
    }
    cases
}

pub fn control() -> Vec<Case> {
    let mut cases = Vec::new();
    let head = "define i32 @F() {\nentry:\nLOADS\n";
    let tail = "  ret i32 0\n}";
    for (label, next_x, next_y, next_z) in [
        ("swap", "%y", "%x", "%z"),
        ("rotation", "%y", "%z", "%x"),
        ("rotation back", "%z", "%x", "%y"),
        ("copies", "%x", "%x", "%x"),
        ("chain", "%y", "%z", "%n"),
        ("counted", "%x1", "%x", "%y"),
        ("two calculated", "%x1", "%y1", "%x1"),
        ("crossed", "%y1", "%x1", "%z"),
        ("constant", "7", "%x", "%y"),
    ] {
        cases.push(blocks(
            &format!("phi {label}"),
            &[16, 16, 16, 8],
            &format!(
                "{head}  %count = and i8 %d, 7\n  br label %loop\nloop:\n  %i = phi i8 [ 0, %entry ], [ %j, %loop ]\n\
                 \x20 %x = phi i16 [ %a, %entry ], [ {next_x}, %loop ]\n  %y = phi i16 [ %b, %entry ], [ {next_y}, %loop ]\n  %z = phi i16 [ %c, %entry ], [ {next_z}, %loop ]\n\
                 \x20 %x1 = add i16 %x, 3\n  %y1 = xor i16 %y, %x1\n  %n = sub i16 %z, %y\n  %j = add i8 %i, 1\n  %more = icmp ult i8 %i, %count\n  br i1 %more, label %loop, label %done\n\
                 done:\n  store i16 %x, ptr @out\n  store i16 %y, ptr getelementptr (i8, ptr @out, i64 2)\n  store i16 %z, ptr getelementptr (i8, ptr @out, i64 4)\n\
                 \x20 store i16 %x1, ptr getelementptr (i8, ptr @out, i64 6)\n  store i16 %y1, ptr getelementptr (i8, ptr @out, i64 8)\n  store i8 %j, ptr getelementptr (i8, ptr @out, i64 10)\n{tail}"
            ),
        ));
    }
    cases.push(blocks(
        "phi of addresses",
        &[8, 8],
        &format!(
            "{head}  %n = and i8 %b, 7\n  br label %loop\nloop:\n  %p = phi ptr [ @out, %entry ], [ %q, %loop ]\n  %i = phi i8 [ 0, %entry ], [ %j, %loop ]\n  %g = getelementptr i8, ptr %p, i64 2\n\
             \x20 store i8 %a, ptr %p\n  %q = getelementptr i8, ptr %p, i64 3\n  %j = add i8 %i, 1\n  %c = icmp ult i8 %i, %n\n  br i1 %c, label %loop, label %done\ndone:\n  store i8 %j, ptr %g\n{tail}"
        ),
    ));
    cases.push(blocks(
        "phi of wide values",
        &[128, 128, 8],
        &format!(
            "{head}  %n = and i8 %c, 3\n  br label %loop\nloop:\n  %x = phi i128 [ %a, %entry ], [ %y, %loop ]\n  %y = phi i128 [ %b, %entry ], [ %s, %loop ]\n  %i = phi i8 [ 0, %entry ], [ %j, %loop ]\n\
             \x20 %s = add i128 %x, %y\n  %j = add i8 %i, 1\n  %m = icmp ult i8 %i, %n\n  br i1 %m, label %loop, label %done\ndone:\n  store i128 %x, ptr @out\n  store i128 %s, ptr getelementptr (i8, ptr @out, i64 16)\n{tail}"
        ),
    ));
    for (label, bits, values) in [
        ("dense", 8, vec!["0", "1", "2", "3", "5", "6"]),
        ("sparse", 32, vec!["0", "1000", "77777", "-1"]),
        ("negative", 8, vec!["-1", "-2", "-128", "127", "0"]),
        ("negative dense", 16, vec!["-1", "-2", "-3", "-4", "-5"]),
        ("across zero", 16, vec!["-2", "-1", "0", "1", "2"]),
        ("odd", 3, vec!["0", "-1", "-4", "3"]),
        ("bit", 1, vec!["1"]),
        ("long", 64, vec!["0", "-1", "4294967296", "1"]),
        ("wide", 128, vec!["0", "-1", "18446744073709551616", "1"]),
        ("wide odd", 65, vec!["0", "-1", "18446744073709551615", "1"]),
    ] {
        let mut text = format!("{head}  switch i{bits} %a, label %other [\n");
        for (index, value) in values.iter().enumerate() {
            text += &format!("    i{bits} {value}, label %l{}\n", index % 3);
        }
        // Every label but the first two is there only if it is used.
        let labels = values.len().min(3);
        text += "  ]\n";
        let mut incoming = "[ 9, %other ]".to_string();
        for label in 0..labels {
            text += &format!("l{label}:\n  br label %end\n");
            incoming += &format!(", [ {label}, %l{label} ]");
        }
        text += &format!(
            "other:\n  br label %end\nend:\n  %r = phi i8 {incoming}\n  store i8 %r, ptr @out\n{tail}"
        );
        cases.push(blocks(&format!("switch {label}"), &[bits], &text));
        // The same with the moves on the edges themselves.
        let mut text = format!("{head}  %k = xor i8 %b, 85\n  switch i{bits} %a, label %end [\n");
        for (index, value) in values.iter().enumerate() {
            text += &format!(
                "    i{bits} {value}, label %{}\n",
                if index % 2 == 0 { "end" } else { "l" }
            );
        }
        let ends = vec!["[ %k, %entry ]"; values.len().div_ceil(2) + 1].join(", ");
        let more = if values.len() > 1 { ", [ %u, %l ]" } else { "" };
        text += "  ]\n";
        if values.len() > 1 {
            let entries = vec!["[ %b, %entry ]"; values.len() / 2].join(", ");
            text += &format!("l:\n  %t = phi i8 {entries}\n  %u = add i8 %t, 1\n  br label %end\n");
        }
        text += &format!("end:\n  %r = phi i8 {ends}{more}\n  store i8 %r, ptr @out\n{tail}");
        cases.push(blocks(
            &format!("switch {label} into phis"),
            &[bits, 8],
            &text,
        ));
    }
    cases.push(blocks(
        "indirectbr",
        &[8],
        &format!(
            "@F.table = constant [3 x ptr] [ptr blockaddress(@F, %x), ptr blockaddress(@F, %y), ptr blockaddress(@F, %z)]\n{head}  %i = urem i8 %a, 3\n  %w = zext i8 %i to i64\n\
             \x20 %p = getelementptr [3 x ptr], ptr @F.table, i64 0, i64 %w\n  %t = load ptr, ptr %p\n  indirectbr ptr %t, [label %x, label %y, label %z]\n\
             x:\n  store i8 1, ptr @out\n  ret i32 0\ny:\n  store i8 2, ptr @out\n  ret i32 0\nz:\n  store i8 3, ptr @out\n{tail}"
        ),
    ));
    cases.push(blocks(
        "variables of a loop",
        &[8, 8],
        &format!(
            "{head}  %n = and i8 %b, 3\n  br label %loop\nloop:\n  %i = phi i8 [ 0, %entry ], [ %j, %loop ]\n  %s = call ptr @llvm.stacksave.p0()\n  %j = add i8 %i, 1\n  %w = zext i8 %j to i64\n  %m = alloca i8, i64 %w\n\
             \x20 %k = getelementptr i8, ptr %m, i8 %i\n  %v = add i8 %a, %i\n  store i8 %v, ptr %k\n  %l = load i8, ptr %k\n  %o = getelementptr i8, ptr @out, i8 %i\n  store i8 %l, ptr %o\n\
             \x20 call void @llvm.stackrestore.p0(ptr %s)\n  %c = icmp ult i8 %i, %n\n  br i1 %c, label %loop, label %done\ndone:\n{tail}"
        ),
    ));
    cases.extend(calls());
    // How these are named depends on the version.
    if version() < 18 {
        for case in &mut cases {
            case.text = case
                .text
                .replace("stacksave.p0", "stacksave")
                .replace("stackrestore.p0", "stackrestore");
        }
    }
    cases
}

fn calls() -> Vec<Case> {
    let head = "define i32 @F() {\nentry:\nLOADS\n";
    let tail = "  ret i32 0\n}";
    vec![
        blocks(
            "by value",
            &[64, 64, 8],
            &format!(
                "define i64 @F.g(ptr byval({{ i64, i64, i64 }}) align 8 %p, i64 %x) noinline {{\n  %q = getelementptr i64, ptr %p, i64 1\n  %l = load i64, ptr %q\n  store i64 0, ptr %q\n  %m = load i64, ptr %p\n  %s = add i64 %l, %m\n  %t = add i64 %s, %x\n  ret i64 %t\n}}\n\
                 {head}  %m = alloca [4 x {{ i64, i64, i64 }}]\n  call void @llvm.memset.p0.i64(ptr %m, i8 1, i64 96, i1 false)\n  %i = and i8 %c, 3\n  %w = zext i8 %i to i64\n  %p = getelementptr {{ i64, i64, i64 }}, ptr %m, i64 %w\n\
                 \x20 %q = getelementptr i64, ptr %p, i64 1\n  store i64 %a, ptr %q\n  %r = call i64 @F.g(ptr byval({{ i64, i64, i64 }}) align 8 %p, i64 %b)\n  %l = load i64, ptr %q\n  store i64 %r, ptr @out\n  store i64 %l, ptr getelementptr (i8, ptr @out, i64 8)\n{tail}"
            ),
        ),
        blocks(
            "variadic",
            &[64, 32],
            &format!(
                "define i64 @F.g(i32 %n, ...) noinline {{\n  %l = alloca [24 x i8], align 16\n  call void @llvm.va_start(ptr %l)\n  %x = va_arg ptr %l, i64\n  %y = va_arg ptr %l, i32\n  %z = va_arg ptr %l, i64\n  call void @llvm.va_end(ptr %l)\n\
                 \x20 %w = sext i32 %y to i64\n  %s = mul i64 %x, 3\n  %t = add i64 %s, %w\n  %u = xor i64 %t, %z\n  ret i64 %u\n}}\n{head}  %r = call i64 (i32, ...) @F.g(i32 3, i64 %a, i32 %b, i64 %a)\n  store i64 %r, ptr @out\n{tail}"
            ),
        ),
        blocks(
            "a result that nobody wants",
            &[64, 64],
            &format!(
                "define i64 @F.g(i64 %x) noinline {{\n  %y = add i64 %x, 1\n  ret i64 %y\n}}\ndefine {{ i64, i64 }} @F.p(i64 %x) noinline {{\n  %y = insertvalue {{ i64, i64 }} undef, i64 %x, 0\n  %z = insertvalue {{ i64, i64 }} %y, i64 %x, 1\n  ret {{ i64, i64 }} %z\n}}\n\
                 define i64 @F.h(i64 %k, i64 %x, ptr %f, ptr %g) noinline {{\n  call void %f(i64 %x)\n  %v = call i64 %g(i64 %x)\n  %s = add i64 %k, 1\n  %t = mul i64 %s, %v\n  ret i64 %t\n}}\n\
                 {head}  %r = call i64 @F.h(i64 %a, i64 %b, ptr @F.g, ptr @F.p)\n  store i64 %r, ptr @out\n{tail}"
            ),
        ),
        blocks(
            "a result of another width",
            &[64],
            &format!(
                "define i64 @F.g(i64 %x) noinline {{\n  %y = add i64 %x, 1\n  ret i64 %y\n}}\ndefine i8 @F.h(ptr %f, i64 %x) noinline {{\n  %v = call i32 %f(i64 %x)\n  %e = icmp eq i32 %v, 5\n  %z = zext i1 %e to i8\n  ret i8 %z\n}}\n\
                 {head}  %l = and i64 %a, -4294967291\n  %m = or i64 %l, 4\n  %r = call i8 @F.h(ptr @F.g, i64 %m)\n  store i8 %r, ptr @out\n{tail}"
            ),
        ),
        blocks(
            "an argument of another width",
            &[64],
            &format!(
                "define i8 @F.g(i32 %v) noinline {{\n  %e = icmp eq i32 %v, 5\n  %z = zext i1 %e to i8\n  ret i8 %z\n}}\ndefine i8 @F.h(ptr %f, i64 %x) noinline {{\n  %v = call i8 %f(i64 %x)\n  ret i8 %v\n}}\n\
                 {head}  %l = and i64 %a, -4294967291\n  %m = or i64 %l, 5\n  %r = call i8 @F.h(ptr @F.g, i64 %m)\n  store i8 %r, ptr @out\n{tail}"
            ),
        ),
        blocks(
            "many results",
            &[64, 32, 8],
            &format!(
                "define {{ i64, i32, i8 }} @F.g(i64 %x, i32 %y, i8 %z) noinline {{\n  %p = insertvalue {{ i64, i32, i8 }} undef, i64 %x, 0\n  %q = insertvalue {{ i64, i32, i8 }} %p, i32 %y, 1\n  %r = insertvalue {{ i64, i32, i8 }} %q, i8 %z, 2\n  ret {{ i64, i32, i8 }} %r\n}}\n\
                 {head}  %r = call {{ i64, i32, i8 }} @F.g(i64 %a, i32 %b, i8 %c)\n  %x = extractvalue {{ i64, i32, i8 }} %r, 0\n  %y = extractvalue {{ i64, i32, i8 }} %r, 1\n  %z = extractvalue {{ i64, i32, i8 }} %r, 2\n\
                 \x20 store i64 %x, ptr @out\n  store i32 %y, ptr getelementptr (i8, ptr @out, i64 8)\n  store i8 %z, ptr getelementptr (i8, ptr @out, i64 12)\n{tail}"
            ),
        ),
        blocks(
            "recursion",
            &[8, 8],
            &format!(
                "define i8 @F.g(i8 %n, i8 %x) noinline {{\nentry:\n  %z = icmp eq i8 %n, 0\n  br i1 %z, label %end, label %on\non:\n  %m = sub i8 %n, 1\n  %y = mul i8 %x, 3\n  %r = call i8 @F.g(i8 %m, i8 %y)\n  %s = add i8 %r, %x\n  ret i8 %s\nend:\n  ret i8 %x\n}}\n\
                 {head}  %n = and i8 %b, 3\n  %r = call i8 @F.g(i8 %n, i8 %a)\n  store i8 %r, ptr @out\n{tail}"
            ),
        ),
        blocks(
            "vectors as arguments",
            &[128, 8],
            &format!(
                "define <4 x i32> @F.g(<4 x i32> %v, <8 x i1> %m) noinline {{\n  %b = bitcast <8 x i1> %m to i8\n  %w = zext i8 %b to i32\n  %r = insertelement <4 x i32> %v, i32 %w, i32 2\n  ret <4 x i32> %r\n}}\n\
                 {head}  %v = bitcast i128 %a to <4 x i32>\n  %m = bitcast i8 %b to <8 x i1>\n  %r = call <4 x i32> @F.g(<4 x i32> %v, <8 x i1> %m)\n  store <4 x i32> %r, ptr @out\n{tail}"
            ),
        ),
    ]
}

/// Variables on the stack that lowering keeps in registers, loops, and values that share slots: random functions.
pub fn random_functions(first: usize, count: usize) -> Vec<Case> {
    (first..first + count)
        .map(|seed| {
            let mut random = Random::new(1000 + seed as u64);
            random_function(&mut random, seed)
        })
        .collect()
}

/// What a block may use.
#[derive(Clone)]
struct Known {
    values: Vec<String>,
    addresses: Vec<String>,
}

/// Writes the blocks of a random function.
struct Writer<'a> {
    random: &'a mut Random,
    ty: String,
    variables: usize,
    next: usize,
}

impl Writer<'_> {
    fn value(&mut self, known: &Known) -> String {
        // What was calculated last is used most.
        let count = known.values.len();
        let back = if self.random.one_in(2) {
            self.random.below(count.min(3))
        } else {
            self.random.below(count)
        };
        known.values[count - 1 - back].clone()
    }

    fn code(&mut self, known: &mut Known, length: usize) -> String {
        let mut lines = String::new();
        for _ in 0..length {
            let (a, b) = (self.value(known), self.value(known));
            let name = format!("%x{}", self.next);
            self.next += 1;
            let ty = &self.ty;
            let random = &mut *self.random;
            let variable = random.below(self.variables);
            let at = &known.addresses[random.below(known.addresses.len())];
            let (line, is_value) = match random.below(12) {
                0..=2 => (format!("{name} = load {ty}, ptr %v{variable}"), true),
                3 | 4 => (format!("store {ty} {a}, ptr %v{variable}"), false),
                5 => {
                    let line = format!(
                        "{name}.i = and {ty} {a}, 3\n  {name} = getelementptr {ty}, ptr %table, {ty} {name}.i"
                    );
                    known.addresses.push(name.clone());
                    (line, false)
                }
                6 => (format!("{name} = load {ty}, ptr {at}"), true),
                7 => (format!("store {ty} {a}, ptr {at}"), false),
                8 => (
                    format!(
                        "{name}.c = icmp slt {ty} {a}, {b}\n  {name} = select i1 {name}.c, {ty} {b}, {ty} {a}"
                    ),
                    true,
                ),
                9 => (format!("{name} = freeze {ty} {a}"), true),
                _ => {
                    let op = random.pick(&["add", "sub", "xor", "mul", "and", "or"]);
                    let b = if random.one_in(3) {
                        random.below(5).to_string()
                    } else {
                        b
                    };
                    (format!("{name} = {op} {ty} {a}, {b}"), true)
                }
            };
            lines += &format!("  {line}\n");
            if is_value {
                known.values.push(name);
            }
        }
        lines
    }
}

/// A loop around a branch of two, with a second way back to its start, its blocks in any order.
fn random_function(random: &mut Random, seed: usize) -> Case {
    let bits = random.pick(&[8u32, 16, 32, 32, 64, 13]);
    let ty = format!("i{bits}");
    let (variables, phis) = (1 + random.below(3), 1 + random.below(4));
    let trips = 2 + random.below(4);
    let continues = random.one_in(2);
    let mut entry = String::from("define i32 @F() {\nentry:\nLOADS\n");
    for variable in 0..variables {
        entry += &format!("  %v{variable} = alloca {ty}\n");
    }
    for variable in 0..variables {
        let from = random.pick(&["%a", "%b", "%c"]);
        entry += &format!("  store {ty} {from}, ptr %v{variable}\n");
    }
    entry += &format!("  %table = alloca [16 x {ty}]\n");
    for element in 0..16 {
        entry += &format!(
            "  %e{element} = getelementptr {ty}, ptr %table, i64 {element}\n  store {ty} {element}, ptr %e{element}\n"
        );
    }
    entry += "  br label %b0\n";

    let mut writer = Writer {
        random,
        ty: ty.clone(),
        variables,
        next: 0,
    };
    let mut known = Known {
        values: ["%a", "%b", "%c"].map(String::from).to_vec(),
        addresses: vec!["%q".into(), "%e1".into()],
    };
    let header: Vec<String> = (0..phis).map(|phi| format!("%p{phi}")).collect();
    known.values.extend(header.clone());
    let length = 1 + writer.random.below(6);
    let first = writer.code(&mut known, length);
    let (mut left, mut right, mut last) = (known.clone(), known.clone(), known.clone());
    let length = writer.random.below(4);
    let second = writer.code(&mut left, length);
    let length = writer.random.below(4);
    let third = writer.code(&mut right, length);
    let merged = [writer.value(&left), writer.value(&right)];
    last.values.push("%merged".into());
    let length = 1 + writer.random.below(6);
    let fourth = writer.code(&mut last, length);

    let mut incoming = String::new();
    let again = |writer: &mut Writer<'_>, known: &Known| {
        if writer.random.one_in(3) {
            header[writer.random.below(phis)].clone()
        } else {
            writer.value(known)
        }
    };
    for phi in 0..phis {
        let start = writer.random.pick(&["%a", "%b", "%c", "1"]);
        let from_last = again(&mut writer, &last);
        let from_left = again(&mut writer, &left);
        incoming += &format!("  %p{phi} = phi {ty} [ {start}, %entry ], [ {from_last}, %b3 ]");
        if continues {
            incoming += &format!(", [ {from_left}, %b1 ]");
        }
        incoming.push('\n');
    }
    // The pointer steps on, or starts again.
    let pick = |writer: &mut Writer<'_>, known: &Known| {
        let count = known.addresses.len();
        let address = known.addresses[writer.random.below(count)].clone();
        if writer.random.one_in(2) {
            "%q1".to_string()
        } else {
            address
        }
    };
    let (from_last, from_left) = (pick(&mut writer, &last), pick(&mut writer, &left));
    incoming += &format!("  %q = phi ptr [ %table, %entry ], [ {from_last}, %b3 ]");
    if continues {
        incoming += &format!(", [ {from_left}, %b1 ]");
    }
    let back = if continues { ", [ %j, %b1 ]" } else { "" };
    incoming += &format!("\n  %i = phi i32 [ 0, %entry ], [ %j, %b3 ]{back}\n");

    let condition = writer.value(&known);
    let step = format!("  %q1 = getelementptr {ty}, ptr %q, i64 1\n");
    let (early, late) = if writer.random.one_in(2) {
        (&step[..], "")
    } else {
        ("", &step[..])
    };
    let choice = if writer.random.one_in(3) {
        "%bit"
    } else {
        "%turn"
    };
    let b0 = format!(
        "b0:\n{incoming}{early}{first}{late}  %bit = trunc {ty} {condition} to i1\n  %odd = and i32 %i, 1\n  %turn = icmp eq i32 %odd, 0\n\
         \x20 %j = add i32 %i, 1\n  br i1 {choice}, label %b1, label %b2\n"
    );
    let b1 = if continues {
        format!(
            "b1:\n{second}  %few = icmp slt i32 %j, {trips}\n  br i1 %few, label %b0, label %b3\n"
        )
    } else {
        format!("b1:\n{second}  br label %b3\n")
    };
    let b2 = format!("b2:\n{third}  br label %b3\n");
    let count = writer.random.pick(&["%i", "%j"]);
    let b3 = format!(
        "b3:\n  %merged = phi {ty} [ {}, %b1 ], [ {}, %b2 ]\n{fourth}  %more = icmp slt i32 {count}, {trips}\n  br i1 %more, label %b0, label %out\n",
        merged[0], merged[1],
    );
    let mut out = String::from("out:\n");
    for index in 0..6 {
        let value = writer.value(&last);
        out += &format!(
            "  %s{index} = zext {ty} {value} to i128\n  %t{index} = trunc i128 %s{index} to i64\n  store i64 %t{index}, ptr getelementptr (i8, ptr @out, i64 {})\n",
            8 * index
        );
    }
    out += &format!(
        "  %l = load {ty}, ptr %v0\n  %lw = zext {ty} %l to i128\n  %ln = trunc i128 %lw to i64\n  store i64 %ln, ptr getelementptr (i8, ptr @out, i64 48)\n  ret i32 0\n"
    );
    let mut parts = [b0, b1, b2, b3, out];
    if writer.random.one_in(2) {
        for index in (1..parts.len()).rev() {
            parts.swap(index, writer.random.below(index + 1));
        }
    }
    blocks(
        &format!("random {seed}"),
        &[bits, bits, bits],
        &format!("{entry}{}}}", parts.concat()),
    )
}
