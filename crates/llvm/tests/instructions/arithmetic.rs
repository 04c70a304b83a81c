//! Integers and vectors of them: operations, comparisons, conversions, intrinsics.

use crate::harness::{Case, integer, version};
use crate::support::random::Random;

pub const WIDTHS: &[u32] = &[
    1, 3, 7, 8, 13, 16, 24, 31, 32, 33, 48, 63, 64, 65, 96, 127, 128, 200,
];

/// An integer type, or a vector of them if there are lanes.
#[derive(Clone, Copy)]
pub struct Ty {
    pub lanes: u32,
    pub bits: u32,
}

impl Ty {
    pub fn int(bits: u32) -> Ty {
        Ty { lanes: 0, bits }
    }

    pub fn name(self) -> String {
        match self.lanes {
            0 => format!("i{}", self.bits),
            lanes => format!("<{lanes} x i{}>", self.bits),
        }
    }

    pub fn suffix(self) -> String {
        match self.lanes {
            0 => format!("i{}", self.bits),
            lanes => format!("v{lanes}i{}", self.bits),
        }
    }

    pub fn total(self) -> u32 {
        self.bits * self.lanes.max(1)
    }

    fn with(self, bits: u32) -> Ty {
        Ty { bits, ..self }
    }

    /// The same constant in every lane.
    fn splat(self, value: &str) -> String {
        match self.lanes {
            0 => value.to_string(),
            lanes => {
                let lane = format!("i{} {value}", self.bits);
                format!("<{}>", vec![lane; lanes as usize].join(", "))
            }
        }
    }

    /// Loads `%name`; what is not whole bytes is cut from what is.
    pub fn load(self, name: &str, at: u32) -> String {
        let ty = self.name();
        let from = format!("ptr getelementptr (i8, ptr @in, i64 {at}), align 1");
        if self.bits.is_multiple_of(8) {
            return format!("  %{name} = load {ty}, {from}\n");
        }
        let total = self.total();
        let bytes = total.next_multiple_of(8);
        let mut text = format!("  %{name}.m = load i{bytes}, {from}\n");
        let mut last = format!("%{name}.m");
        if bytes != total {
            let to = if self.lanes == 0 {
                name.to_string()
            } else {
                format!("{name}.t")
            };
            text += &format!("  %{to} = trunc i{bytes} {last} to i{total}\n");
            last = format!("%{to}");
        }
        if self.lanes != 0 {
            text += &format!("  %{name} = bitcast i{total} {last} to {ty}\n");
        }
        text
    }

    /// Stores `%name` as whole bytes.
    pub fn store(self, name: &str, at: u32) -> String {
        let to = format!("ptr getelementptr (i8, ptr @out, i64 {at}), align 1");
        if self.bits.is_multiple_of(8) {
            return format!("  store {} %{name}, {to}\n", self.name());
        }
        let total = self.total();
        let bytes = total.next_multiple_of(8);
        let mut text = String::new();
        let mut last = format!("%{name}");
        if self.lanes != 0 {
            text += &format!("  %{name}.b = bitcast {} {last} to i{total}\n", self.name());
            last = format!("%{name}.b");
        }
        if bytes != total {
            text += &format!("  %{name}.z = zext i{total} {last} to i{bytes}\n");
            last = format!("%{name}.z");
        }
        text + &format!("  store i{bytes} {last}, {to}\n")
    }
}

/// A function of one block.
pub fn function(body: &str) -> String {
    format!("define i32 @F() {{\n{body}  ret i32 0\n}}")
}

fn operands(case: Case, ty: Ty, count: usize) -> Case {
    (0..count).fold(case, |case, index| {
        case.lanes(32 * index, ty.lanes.max(1), ty.bits)
    })
}

fn constant(random: &mut Random, bits: u32) -> String {
    let value = integer(random, bits);
    let digits: String = value
        .chunks(4)
        .rev()
        .map(|digit| {
            let value = digit
                .iter()
                .enumerate()
                .map(|(at, &bit)| u32::from(bit) << at)
                .sum();
            char::from_digit(value, 16).expect("a digit")
        })
        .collect();
    format!("u0x{}", digits.to_uppercase())
}

/// Where the operands of an operation come from: registers, or a constant as one of them.
#[derive(Clone, Copy, PartialEq)]
enum Form {
    Registers,
    First,
    Second,
}

fn binary(random: &mut Random, ty: Ty, op: &str, form: Form) -> Case {
    let name = ty.name();
    let mut body = ty.load("a0", 0) + &ty.load("b0", 32);
    let (mut a, mut b) = ("%a0".to_string(), "%b0".to_string());
    let mut label = format!("{op} {name}");
    if form == Form::First {
        a = ty.splat(&constant(random, ty.bits));
        label += &format!(" {a} first");
    }
    if form == Form::Second {
        b = ty.splat(&constant(random, ty.bits));
        label += &format!(" {b} second");
    }
    match op {
        "shl" | "lshr" | "ashr" => {
            if form == Form::Second {
                b = ty.splat(&random.below(ty.bits as usize).to_string());
            } else if ty.bits > 1 {
                body += &format!(
                    "  %by = urem {name} {b}, {}\n",
                    ty.splat(&ty.bits.to_string())
                );
                b = "%by".into();
            } else {
                b = ty.splat("0");
            }
        }
        "udiv" | "urem" | "sdiv" | "srem" => {
            let zero = ty.splat("0");
            let one = ty.splat("1");
            let bit = ty.with(1).name();
            body += &format!("  %c0 = icmp eq {name} {b}, {zero}\n");
            body += &format!("  %d0 = select {bit} %c0, {name} {one}, {name} {b}\n");
            b = "%d0".into();
            if op.starts_with('s') {
                let minus = ty.splat("-1");
                body += &format!("  %neg = sub {name} {zero}, {a}\n");
                body += &format!("  %c1 = icmp eq {name} %neg, {a}\n");
                body += &format!("  %c2 = icmp eq {name} %d0, {minus}\n");
                body += &format!("  %c3 = and {bit} %c1, %c2\n");
                body += &format!("  %d1 = select {bit} %c3, {name} {one}, {name} %d0\n");
                b = "%d1".into();
            }
        }
        _ => {}
    }
    body += &format!("  %r = {op} {name} {a}, {b}\n");
    body += &ty.store("r", 0);
    operands(Case::new(label, function(&body)), ty, 2)
}

fn binaries(random: &mut Random, ty: Ty, forms: &[Form], cases: &mut Vec<Case>) {
    for op in [
        "add", "sub", "mul", "and", "or", "xor", "shl", "lshr", "ashr", "udiv", "urem", "sdiv",
        "srem",
    ] {
        if ty.bits == 1 && op.starts_with('s') && op != "sub" && op != "shl" {
            continue;
        }
        for &form in forms {
            // Wide division is slow to compile.
            if op.len() == 4 && op.ends_with(['v', 'm']) && ty.bits > 128 && form != Form::Registers
            {
                continue;
            }
            cases.push(binary(random, ty, op, form));
        }
    }
}

const PREDICATES: &[&str] = &[
    "eq", "ne", "ult", "ule", "ugt", "uge", "slt", "sle", "sgt", "sge",
];

fn comparisons(random: &mut Random, ty: Ty, forms: &[Form], cases: &mut Vec<Case>) {
    let name = ty.name();
    for predicate in PREDICATES {
        for &form in forms {
            let (mut a, mut b) = ("%a".to_string(), "%b".to_string());
            match form {
                Form::Registers => {}
                Form::First => a = ty.splat(&constant(random, ty.bits)),
                Form::Second => b = ty.splat(&constant(random, ty.bits)),
            }
            let loads = ty.load("a", 0) + &ty.load("b", 32);
            let bit = ty.with(1);
            let set =
                format!("{loads}  %r = icmp {predicate} {name} {a}, {b}\n") + &bit.store("r", 0);
            let label = format!("icmp {predicate} {name} {a}, {b}");
            cases.push(operands(Case::new(label.clone(), function(&set)), ty, 2));
            if ty.lanes == 0 {
                let text = format!(
                    "define i32 @F() {{\n{loads}  %r = icmp {predicate} {name} {a}, {b}\n  br i1 %r, label %yes, label %no\n\
                     yes:\n  store i8 1, ptr @out\n  ret i32 0\nno:\n  store i8 2, ptr @out\n  ret i32 0\n}}"
                );
                cases.push(operands(Case::new(format!("br {label}"), text), ty, 2));
            }
        }
    }
}

fn selects(ty: Ty, cases: &mut Vec<Case>) {
    let name = ty.name();
    let one = Ty::int(1);
    let loads = ty.load("a", 0) + &ty.load("b", 32);
    let body = format!(
        "{loads}{}  %r = select i1 %c, {name} %a, {name} %b\n{}",
        one.load("c", 64),
        ty.store("r", 0)
    );
    let case = operands(Case::new(format!("select {name}"), function(&body)), ty, 2);
    cases.push(case.int(64, 1));
    if ty.lanes > 0 {
        let bits = ty.with(1);
        let body = format!(
            "{loads}{}  %r = select {} %c, {name} %a, {name} %b\n{}",
            bits.load("c", 64),
            bits.name(),
            ty.store("r", 0)
        );
        let case = operands(
            Case::new(format!("select by lane {name}"), function(&body)),
            ty,
            2,
        );
        cases.push(case.lanes(64, ty.lanes, 1));
    }
    let body = format!(
        "{}  %r = freeze {name} %a\n{}",
        ty.load("a", 0),
        ty.store("r", 0)
    );
    cases.push(operands(
        Case::new(format!("freeze {name}"), function(&body)),
        ty,
        1,
    ));
}

fn intrinsics(ty: Ty, cases: &mut Vec<Case>) {
    let (name, suffix) = (ty.name(), ty.suffix());
    let mut add = |label: &str, body: String, count: usize| {
        let loads: String = ["a", "b", "c"][..count]
            .iter()
            .zip([0, 32, 64])
            .map(|(name, at)| ty.load(name, at))
            .collect();
        cases.push(operands(
            Case::new(format!("{label} {name}"), function(&(loads + &body))),
            ty,
            count,
        ));
    };
    let store = ty.store("r", 0);
    add(
        "ctpop",
        format!("  %r = call {name} @llvm.ctpop.{suffix}({name} %a)\n{store}"),
        1,
    );
    add(
        "bitreverse",
        format!("  %r = call {name} @llvm.bitreverse.{suffix}({name} %a)\n{store}"),
        1,
    );
    for op in ["ctlz", "cttz", "abs"] {
        add(
            op,
            format!("  %r = call {name} @llvm.{op}.{suffix}({name} %a, i1 false)\n{store}"),
            1,
        );
    }
    if ty.bits.is_multiple_of(16) {
        add(
            "bswap",
            format!("  %r = call {name} @llvm.bswap.{suffix}({name} %a)\n{store}"),
            1,
        );
    }
    for op in [
        "umin", "umax", "smin", "smax", "uadd.sat", "sadd.sat", "usub.sat", "ssub.sat",
    ] {
        add(
            op,
            format!("  %r = call {name} @llvm.{op}.{suffix}({name} %a, {name} %b)\n{store}"),
            2,
        );
    }
    for op in ["ushl.sat", "sshl.sat"] {
        if ty.bits > 1 {
            let modulus = ty.splat(&ty.bits.to_string());
            let text = format!(
                "  %by = urem {name} %b, {modulus}\n  %r = call {name} @llvm.{op}.{suffix}({name} %a, {name} %by)\n{store}"
            );
            add(op, text, 2);
        }
    }
    for op in ["fshl", "fshr"] {
        // The compiler divides by the width, and cannot.
        if ty.bits > 128 {
            continue;
        }
        add(
            op,
            format!(
                "  %r = call {name} @llvm.{op}.{suffix}({name} %a, {name} %b, {name} %c)\n{store}"
            ),
            3,
        );
    }
    for op in ["uadd", "sadd", "usub", "ssub", "umul", "smul"] {
        // No library has these.
        if op.ends_with("mul") && ty.bits > 128 {
            continue;
        }
        let bits = ty.with(1);
        let pair = format!("{{ {name}, {} }}", bits.name());
        let text = format!(
            "  %p = call {pair} @llvm.{op}.with.overflow.{suffix}({name} %a, {name} %b)\n\
             \x20 %r = extractvalue {pair} %p, 0\n  %o = extractvalue {pair} %p, 1\n{store}{}",
            bits.store("o", 40)
        );
        add(op, text, 2);
    }
}

/// Needs a compiler that knows them.
fn orders(ty: Ty, cases: &mut Vec<Case>) {
    for op in ["ucmp", "scmp"] {
        for to in [2, 8, 32, 64] {
            let result = ty.with(to);
            if result.total() > 512 {
                continue;
            }
            let (name, to) = (ty.name(), result.name());
            let body = format!(
                "{}{}  %r = call {to} @llvm.{op}.{}.{}({name} %a, {name} %b)\n{}",
                ty.load("a", 0),
                ty.load("b", 32),
                result.suffix(),
                ty.suffix(),
                result.store("r", 0)
            );
            cases.push(operands(
                Case::new(format!("{op} {to} {name}"), function(&body)),
                ty,
                2,
            ));
        }
    }
}

pub fn integers() -> Vec<Case> {
    let mut random = Random::new(11);
    let mut cases = Vec::new();
    let forms = [Form::Registers, Form::Second, Form::First];
    for &bits in WIDTHS {
        let ty = Ty::int(bits);
        binaries(&mut random, ty, &forms, &mut cases);
        comparisons(&mut random, ty, &forms, &mut cases);
        selects(ty, &mut cases);
        intrinsics(ty, &mut cases);
        if version() >= 19 {
            orders(ty, &mut cases);
        }
    }
    cases
}

pub fn casts() -> Vec<Case> {
    let mut cases = Vec::new();
    let mut add = |op: &str, from: Ty, to: Ty| {
        let body = format!(
            "{}  %r = {op} {} %a to {}\n{}",
            from.load("a", 0),
            from.name(),
            to.name(),
            to.store("r", 0)
        );
        let label = format!("{op} {} to {}", from.name(), to.name());
        cases.push(operands(Case::new(label, function(&body)), from, 1));
    };
    for (index, &narrow) in WIDTHS.iter().enumerate() {
        for &wide in &WIDTHS[index + 1..] {
            add("zext", Ty::int(narrow), Ty::int(wide));
            add("sext", Ty::int(narrow), Ty::int(wide));
            add("trunc", Ty::int(wide), Ty::int(narrow));
        }
    }
    for (lanes, narrow, wide) in [
        (4, 8, 32),
        (8, 1, 8),
        (3, 24, 64),
        (4, 13, 32),
        (2, 64, 128),
        (8, 1, 16),
    ] {
        let (narrow, wide) = (
            Ty {
                lanes,
                bits: narrow,
            },
            Ty { lanes, bits: wide },
        );
        add("zext", narrow, wide);
        add("sext", narrow, wide);
        add("trunc", wide, narrow);
    }
    for (from, to) in [
        ((0, 128), (4, 32)),
        ((4, 32), (0, 128)),
        ((4, 32), (2, 64)),
        ((2, 64), (16, 8)),
        ((16, 8), (8, 16)),
        ((16, 1), (0, 16)),
        ((0, 16), (16, 1)),
        ((8, 1), (0, 8)),
        ((3, 24), (0, 72)),
        ((0, 72), (3, 24)),
        ((4, 13), (0, 52)),
        ((1, 64), (0, 64)),
        ((64, 1), (2, 32)),
        ((2, 100), (0, 200)),
        ((0, 200), (25, 8)),
        ((4, 3), (3, 4)),
        ((2, 128), (4, 64)),
    ] {
        let ty = |(lanes, bits): (u32, u32)| Ty { lanes, bits };
        add("bitcast", ty(from), ty(to));
    }
    cases
}

pub fn vectors() -> Vec<Case> {
    let mut random = Random::new(12);
    let mut cases = Vec::new();
    for (lanes, bits) in [
        (4, 32),
        (16, 8),
        (8, 1),
        (3, 24),
        (2, 64),
        (4, 13),
        (2, 100),
        (1, 32),
    ] {
        let ty = Ty { lanes, bits };
        binaries(
            &mut random,
            ty,
            &[Form::Registers, Form::Second],
            &mut cases,
        );
        comparisons(&mut random, ty, &[Form::Registers], &mut cases);
        selects(ty, &mut cases);
        intrinsics(ty, &mut cases);
        reductions(ty, &mut cases);
        lanes_of(&mut random, ty, &mut cases);
        if version() >= 19 && bits != 100 {
            orders(ty, &mut cases);
        }
    }
    cases
}

fn reductions(ty: Ty, cases: &mut Vec<Case>) {
    for op in [
        "add", "mul", "and", "or", "xor", "smax", "smin", "umax", "umin",
    ] {
        let element = Ty::int(ty.bits);
        let body = format!(
            "{}  %r = call {} @llvm.vector.reduce.{op}.{}({} %a)\n{}",
            ty.load("a", 0),
            element.name(),
            ty.suffix(),
            ty.name(),
            element.store("r", 0)
        );
        let case = operands(
            Case::new(format!("reduce {op} {}", ty.name()), function(&body)),
            ty,
            1,
        );
        cases.push(if ty.bits > 64 { case.missing() } else { case });
    }
}

/// Parts of vectors.
fn lanes_of(random: &mut Random, ty: Ty, cases: &mut Vec<Case>) {
    let (name, element) = (ty.name(), Ty::int(ty.bits));
    let loads = ty.load("a", 0) + &ty.load("b", 32);
    for index in [
        "i32 0".to_string(),
        format!("i64 {}", ty.lanes - 1),
        "i8 %i".to_string(),
    ] {
        // Older compilers lay such a vector out in two ways.
        if index.starts_with("i8") && ty.bits > 64 && version() < 19 {
            continue;
        }
        let at = format!(
            "  %i0 = load i8, ptr getelementptr (i8, ptr @in, i64 64)\n  %i = urem i8 %i0, {}\n",
            ty.lanes
        );
        let body = format!(
            "{loads}{at}  %r = extractelement {name} %a, {index}\n{}",
            element.store("r", 0)
        );
        let case = Case::new(format!("extractelement {name} {index}"), function(&body));
        cases.push(operands(case, ty, 2).int(64, 8));
        let body = format!(
            "{loads}{at}  %e = extractelement {name} %b, i32 0\n  %r = insertelement {name} %a, {} %e, {index}\n{}",
            element.name(),
            ty.store("r", 0)
        );
        let case = Case::new(format!("insertelement {name} {index}"), function(&body));
        cases.push(operands(case, ty, 2).int(64, 8));
    }
    for to in [ty.lanes, ty.lanes + 1, (ty.lanes / 2).max(1)] {
        let mask: Vec<String> = (0..to)
            .map(|_| format!("i32 {}", random.below(2 * ty.lanes as usize)))
            .collect();
        let result = Ty {
            lanes: to,
            bits: ty.bits,
        };
        if result.total() > 400 {
            continue;
        }
        let body = format!(
            "{loads}  %r = shufflevector {name} %a, {name} %b, <{to} x i32> <{}>\n{}",
            mask.join(", "),
            result.store("r", 0)
        );
        let case = Case::new(format!("shufflevector {name} to {to}"), function(&body));
        cases.push(operands(case, ty, 2));
    }
}
