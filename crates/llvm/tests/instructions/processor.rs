//! What is the processor's own: its intrinsics, and inline assembly.

use crate::arithmetic::Ty;
use crate::harness::Case;

const FEATURES: &str =
    "+sse2,+ssse3,+sse4.1,+sse4.2,+avx2,+pclmul,+bmi,+bmi2,+lzcnt,+popcnt,+adx,+crc32";

fn function(body: &str) -> String {
    format!("define i32 @F() \"target-features\"=\"{FEATURES}\" {{\n{body}  ret i32 0\n}}")
}

fn vector(lanes: u32, bits: u32) -> Ty {
    Ty { lanes, bits }
}

/// The type in the text form: that of a float lane by its bits.
fn floats(ty: Ty) -> String {
    let lane = if ty.bits == 32 { "float" } else { "double" };
    format!("<{} x {lane}>", ty.lanes)
}

/// Calls an intrinsic on the two operands, and perhaps a constant.
fn intrinsic(name: &str, args: &[Ty], constant: Option<&str>, to: Ty) -> Case {
    let mut body = String::new();
    let mut passed = Vec::new();
    let mut case_args = Vec::new();
    for (index, &ty) in args.iter().enumerate() {
        let at = 32 * index as u32;
        body += &ty.load(&format!("a{index}"), at);
        passed.push(format!("{} %a{index}", ty.name()));
        case_args.push((at as usize, ty));
    }
    passed.extend(constant.map(str::to_string));
    body += &format!(
        "  %r = call {} @llvm.x86.{name}({})\n",
        to.name(),
        passed.join(", ")
    );
    body += &to.store("r", 0);
    let label = format!("{name} {}", constant.unwrap_or_default());
    let case = Case::new(label, function(&body));
    case_args.into_iter().fold(case, |case, (at, ty)| {
        case.lanes(at, ty.lanes.max(1), ty.bits)
    })
}

/// An intrinsic whose result is a pair.
fn carries(name: &str, bits: u32) -> Case {
    let ty = Ty::int(bits);
    let mut body = Ty::int(8).load("c", 64) + &ty.load("a", 0) + &ty.load("b", 32);
    let i = ty.name();
    body += &format!(
        "  %p = call {{ i8, {i} }} @llvm.x86.{name}(i8 %c, {i} %a, {i} %b)\n  \
         %c1 = extractvalue {{ i8, {i} }} %p, 0\n  %r = extractvalue {{ i8, {i} }} %p, 1\n"
    );
    body += &(ty.store("r", 0) + &Ty::int(8).store("c1", 16));
    let case = Case::new(name, function(&body));
    case.int(0, bits).int(32, bits).int(64, 8)
}

pub fn intrinsics() -> Vec<Case> {
    let (bytes, words, dwords, qwords) =
        (vector(16, 8), vector(8, 16), vector(4, 32), vector(2, 64));
    let i32 = Ty::int(32);
    let mut cases = vec![
        carries("addcarry.32", 32),
        carries("addcarry.64", 64),
        carries("subborrow.32", 32),
        carries("subborrow.64", 64),
        intrinsic("sse2.pmovmskb.128", &[bytes], None, i32),
        intrinsic("avx2.pmovmskb", &[vector(32, 8)], None, i32),
        intrinsic("sse2.psad.bw", &[bytes; 2], None, qwords),
        intrinsic("avx2.psad.bw", &[vector(32, 8); 2], None, vector(4, 64)),
        intrinsic("sse2.pmadd.wd", &[words; 2], None, dwords).partial(),
        intrinsic("ssse3.pmadd.ub.sw.128", &[bytes; 2], None, words).partial(),
        intrinsic("sse2.pmulh.w", &[words; 2], None, words).partial(),
        intrinsic("sse2.pmulhu.w", &[words; 2], None, words).partial(),
        intrinsic("ssse3.pmul.hr.sw.128", &[words; 2], None, words).partial(),
        intrinsic("sse2.packsswb.128", &[words; 2], None, bytes),
        intrinsic("sse2.packuswb.128", &[words; 2], None, bytes),
        intrinsic("sse2.packssdw.128", &[dwords; 2], None, words),
        intrinsic("sse41.packusdw", &[dwords; 2], None, words),
        intrinsic("avx2.packsswb", &[vector(16, 16); 2], None, vector(32, 8)),
        intrinsic("avx2.packusdw", &[vector(8, 32); 2], None, vector(16, 16)),
        intrinsic("ssse3.pshuf.b.128", &[bytes; 2], None, bytes),
        intrinsic("avx2.pshuf.b", &[vector(32, 8); 2], None, vector(32, 8)),
        intrinsic("ssse3.phadd.w.128", &[words; 2], None, words),
        intrinsic("ssse3.phsub.d.128", &[dwords; 2], None, dwords),
        intrinsic("ssse3.psign.b.128", &[bytes; 2], None, bytes),
        intrinsic("ssse3.psign.d.128", &[dwords; 2], None, dwords),
        intrinsic("sse41.ptestz", &[qwords; 2], None, i32),
        intrinsic("sse41.ptestc", &[qwords; 2], None, i32),
        intrinsic("sse41.ptestnzc", &[qwords; 2], None, i32),
        intrinsic("sse42.crc32.32.8", &[i32, Ty::int(8)], None, i32),
        intrinsic("sse42.crc32.32.16", &[i32, Ty::int(16)], None, i32),
        intrinsic("sse42.crc32.32.32", &[i32, i32], None, i32),
        intrinsic("sse42.crc32.64.64", &[Ty::int(64); 2], None, Ty::int(64)),
    ];
    for which in ["i8 0", "i8 1", "i8 16", "i8 17"] {
        cases.push(intrinsic("pclmulqdq", &[qwords; 2], Some(which), qwords).partial());
    }
    for bits in [32, 64] {
        let ty = Ty::int(bits);
        for name in ["pdep", "pext", "bzhi", "bextr"] {
            let name = format!("bmi.{name}.{bits}");
            cases.push(intrinsic(&name, &[ty; 2], None, ty).partial());
        }
    }
    for (letter, ty) in [("w", words), ("d", dwords), ("q", qwords)] {
        for name in ["psll", "psrl", "psra"] {
            if (name, letter) == ("psra", "q") {
                continue;
            }
            let by_vector = format!("sse2.{name}.{letter}");
            let mut case = intrinsic(&by_vector, &[ty; 2], None, ty);
            // A count of few bits, most of the time.
            case.text = case.text.replace(
                &format!("  %r = call {} @llvm.x86.{by_vector}({} %a0, {} %a1)", ty.name(), ty.name(), ty.name()),
                &format!(
                    "  %w = bitcast {0} %a1 to <2 x i64>\n  %m = and <2 x i64> %w, <i64 79, i64 -1>\n  \
                     %by = bitcast <2 x i64> %m to {0}\n  %r = call {0} @llvm.x86.{by_vector}({0} %a0, {0} %by)",
                    ty.name()
                ),
            );
            cases.push(case);
            for count in [
                "i32 0", "i32 5", "i32 15", "i32 16", "i32 40", "i32 64", "i32 -1",
            ] {
                let by_number = format!("sse2.{name}i.{letter}");
                cases.push(intrinsic(&by_number, &[ty], Some(count), ty));
            }
        }
    }
    for (name, ty) in [("sse.movmsk.ps", dwords), ("sse2.movmsk.pd", qwords)] {
        let mut body = ty.load("a", 0);
        body += &format!("  %f = bitcast {} %a to {}\n", ty.name(), floats(ty));
        body += &format!("  %r = call i32 @llvm.x86.{name}({} %f)\n", floats(ty));
        body += &i32.store("r", 0);
        cases.push(Case::new(name, function(&body)).lanes(0, ty.lanes, ty.bits));
    }
    cases.extend(strings());
    cases
}

/// Comparisons of strings in registers: every mode, and everything that is asked of one.
fn strings() -> Vec<Case> {
    let (bytes, i32) = (vector(16, 8), Ty::int(32));
    let mut cases = Vec::new();
    for mode in 0..128 {
        let what = ["i", "ia", "ic", "io", "is", "iz", "m"][mode as usize % 7];
        let to = if what == "m" { bytes } else { i32 };
        let constant = format!("i8 {mode}");
        // Few values, so that some are equal and some are zero.
        let few = |name: &str, mask: u32| {
            let masks = vec![format!("i8 {mask}"); 16].join(", ");
            format!("  %{name}.few = and <16 x i8> %{name}, <{masks}>\n")
        };
        let mask = [3, 131, 1, 7][mode as usize / 7 % 4];
        let mut body = bytes.load("a", 0) + &bytes.load("b", 32);
        body += &(few("a", mask) + &few("b", mask));
        let call = if mode % 3 == 0 {
            format!("sse42.pcmpistr{what}128(<16 x i8> %a.few, <16 x i8> %b.few, {constant})")
        } else {
            body += &(Ty::int(8).load("m", 64) + &Ty::int(8).load("n", 72));
            body += "  %m.s = sext i8 %m to i32\n  %m.l = srem i32 %m.s, 20\n";
            body += "  %n.s = sext i8 %n to i32\n  %n.l = srem i32 %n.s, 20\n";
            format!(
                "sse42.pcmpestr{what}128(<16 x i8> %a.few, i32 %m.l, <16 x i8> %b.few, i32 %n.l, {constant})"
            )
        };
        body += &format!("  %r = call {} @llvm.x86.{call}\n", to.name());
        body += &to.store("r", 0);
        let case = Case::new(call, function(&body));
        let case = case.lanes(0, 16, 8).lanes(32, 16, 8).int(64, 8).int(72, 8);
        cases.push(case.partial());
    }
    cases
}

/// Inline assembly on operands of some bits, with one or two results of them.
fn assembly(text: &str, constraints: &str, bits: u32, results: u32) -> Case {
    let ty = Ty::int(bits);
    let i = ty.name();
    let count = constraints
        .split(',')
        .filter(|part| !part.starts_with(['=', '~']))
        .count();
    let mut body = String::new();
    let mut passed = Vec::new();
    for index in 0..count {
        body += &ty.load(&format!("a{index}"), 16 * index as u32);
        passed.push(format!("{i} %a{index}"));
    }
    let passed = passed.join(", ");
    let to = match results {
        1 => i.clone(),
        _ => format!("{{ {} }}", vec![i.clone(); results as usize].join(", ")),
    };
    body += &format!("  %p = call {to} asm sideeffect \"{text}\", \"{constraints}\"({passed})\n");
    for index in 0..results {
        if results == 1 {
            body += &ty.store("p", 0);
        } else {
            body += &format!("  %r{index} = extractvalue {to} %p, {index}\n");
            body += &ty.store(&format!("r{index}"), 8 * index);
        }
    }
    let case = Case::new(format!("asm {text} {constraints}"), function(&body));
    (0..count).fold(case, |case, index| case.int(16 * index, bits))
}

pub fn inline_assembly() -> Vec<Case> {
    const FLAGS: &str = "~{dirflag},~{fpsr},~{flags}";
    let mut cases = Vec::new();
    for (suffix, bits) in [("b", 8), ("w", 16), ("l", 32), ("q", 64)] {
        let mut add = |text: &str, constraints: &str, results: u32| {
            let text = text.replace("%s", suffix);
            let constraints = format!("{constraints},{FLAGS}");
            cases.push(assembly(&text, &constraints, bits, results));
        };
        for name in ["add", "sub", "and", "or", "xor"] {
            add(&format!("{name}%s $1, $0"), "=r,r,0", 1);
        }
        for name in ["not", "neg", "inc", "dec"] {
            add(&format!("{name}%s $0"), "=r,0", 1);
        }
        // A carry out of one sum into the next, and as a value.
        add("add%s $4, $0\\0Aadc%s $5, $1", "=&r,=&r,0,1,r,r", 2);
        add("sub%s $4, $0; sbb%s $5, $1", "=&r,=&r,0,1,r,r", 2);
        add("add%s $2, $0\\0A\\09adc%s $$0, $1", "=&r,=r,r,0,1", 2);
        for condition in [
            "c", "z", "s", "o", "be", "a", "l", "le", "g", "ge", "ne", "ae",
        ] {
            add(
                &format!("cmp%s $2, $1\\0Amov%s $$0, $0\\0Aset{condition} ${{0:b}}"),
                "=&q,r,r",
                1,
            );
            add(
                &format!("add%s $3, $1\\0Amov%s $$0, $0\\0Aset{condition} ${{0:b}}"),
                "=&q,=&r,1,r",
                2,
            );
        }
        for name in ["shl", "shr", "sar", "rol", "ror"] {
            add(&format!("{name}%s $$3, $0"), "=r,0", 1);
            add(&format!("{name}%s %cl, $0"), "=r,0,{cx}", 1);
        }
        add("xchg%s $0, $1", "=r,=r,0,1", 2);
        add("mov%s $1, $0", "=r,r", 1);
        add("", "=r,0", 1);
        add("# nothing", "=r,0", 1);
        add("/* ${0:q} */", "=r,0", 1);
        add("not%s $0 /* and\\0Anot%s $0 */", "=r,0", 1);
        if bits == 8 {
            continue;
        }
        add("test%s $1, $1\\0Acmovz%s $2, $0", "=r,r,r,0", 1);
        add("bsf%s $1, $0", "=r,r,0", 1);
        add("bsr%s $1, $0", "=r,r,0", 1);
        for name in ["tzcnt", "lzcnt", "popcnt"] {
            add(&format!("{name}%s $1, $0"), "=r,r", 1);
        }
        add("imul%s $1, $0", "=r,r,0", 1);
        add("imul%s $$-7, $1, $0", "=r,r", 1);
        for name in ["bt", "bts", "btr", "btc"] {
            add(&format!("{name}%s $2, $0; sbb%s $1, $1"), "=r,=r,r,0,1", 2);
        }
        if bits == 16 {
            continue;
        }
        add("bswap%s $0", "=r,0", 1);
        add("shld%s $$7, $2, $0", "=r,0,r", 1);
        add("shrd%s $$7, $2, $0", "=r,0,r", 1);
        // Without a suffix the operands say the size.
        add("bswap $0", "=r,0", 1);
        add("add $1, $0", "=r,r,0", 1);
        add("mov $1, $0", "=r,i", 1);
    }
    for case in &mut cases {
        // An immediate is a constant.
        if case.label.contains("=r,i") {
            case.text = case.text.replace("(i32 %a0)", "(i32 77)");
            case.text = case.text.replace("(i64 %a0)", "(i64 -5)");
        }
    }
    for (suffix, bits) in [("w", 16), ("l", 32), ("q", 64)] {
        for name in ["mul", "imul"] {
            let text = format!("{name}{suffix} $3");
            let constraints = format!("={{ax}},={{dx}},{{ax}},r,{FLAGS}");
            cases.push(assembly(&text, &constraints, bits, 2).partial());
        }
        // The divisor is not 0, and the quotient fits.
        for name in ["div", "idiv"] {
            let (text, constraints) = (
                format!("{name}{suffix} $4"),
                format!("={{ax}},={{dx}},{{ax}},{{dx}},r,{FLAGS}"),
            );
            let mut case = assembly(&text, &constraints, bits, 2).partial();
            let i = format!("i{bits}");
            let given = format!("({i} %a0, {i} %a1, {i} %a2)");
            let safe = "(I %low, I %high, I %by)".replace('I', &i);
            // Long division of unknowns is hard: few bits of the divisor are.
            let prepared = if name == "div" {
                "  %few = and I %a2, 6\n  %by = or I %few, 1\n  %high = urem I %a1, %by\n  %low = or I %a0, 0\n"
            } else {
                "  %few = and I %a2, 6\n  %by = or I %few, 1\n  %low = lshr I %a0, 1\n  %high = and I %low, 0\n"
            };
            let prepared = prepared.replace('I', &i);
            let place = case.text.find("  %p = ").expect("the call");
            case.text.insert_str(place, &prepared);
            case.text = case.text.replace(&given, &safe);
            cases.push(case);
        }
    }
    // Memory, and registers by their names.
    let memory = |text: &str, constraints: &str, label: &str| {
        let body = format!(
            "  %a = load i64, ptr @in, align 1\n  %b = load i64, ptr getelementptr (i8, ptr @in, i64 32), align 1\n  \
             store i64 %a, ptr @out\n  %p = call i64 asm sideeffect \"{text}\", \"{constraints}\"(ptr elementtype(i64) @out, \
             i64 %b, ptr elementtype(i64) @out)\n  store i64 %p, ptr getelementptr (i8, ptr @out, i64 8)\n"
        );
        Case::new(label, function(&body)).int(0, 64).int(32, 64)
    };
    cases.push(memory(
        "lock; xaddq $0, $1",
        "=r,=*m,0,*m,~{memory},~{flags}",
        "xadd",
    ));
    cases.push(memory(
        "movq $2, $0\\0Aaddq $0, $1",
        "=&r,=*m,r,*m,~{memory},~{flags}",
        "add to memory",
    ));
    cases.push(assembly(
        "movl ${1:k}, %eax\\0Ashrq $$32, $1\\0Aaddl %eax, ${1:k}\\0Amovq $1, $0",
        "=&r,=&r,1,~{rax},~{flags}",
        64,
        2,
    ));
    cases
}
