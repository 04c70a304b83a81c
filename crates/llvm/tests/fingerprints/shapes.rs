//! Single questions, each on two versions of a small program: does `f` keep its hash?

use refrain_llvm::fingerprint::Fingerprint;

use super::build::{compile, has, load};

fn fingerprint(options: &str, name: &str, text: &str) -> Fingerprint {
    let bitcode = compile("clang-19", options, name, text);
    let (machine, _) = load(&[("program.bc", &bitcode)]);
    let function = machine.linked().find("f").expect("a function f");
    machine.linked().fingerprint(function).clone()
}

#[track_caller]
fn compare(name: &str, options: &str, one: &str, two: &str, same: bool) {
    if !has("clang-19") {
        return;
    }
    let (first, second) = (
        fingerprint(options, name, one),
        fingerprint(options, name, two),
    );
    assert_eq!(first == second, same, "{one}\n{two}");
}

#[track_caller]
fn same(one: &str, two: &str) {
    compare("program.c", "-O0", one, two, true);
}

#[track_caller]
fn differ(one: &str, two: &str) {
    compare("program.c", "-O0", one, two, false);
}

/// The same of instructions in a function of LLVM's language.
#[track_caller]
fn instructions_differ(one: &str, two: &str) {
    let text = |lines: &str| {
        format!(
            "declare i32 @g(i32, ptr)\ndefine i32 @f(i32 %a, ptr %p, float %x) {{\n{lines}\n ret i32 %a\n}}\n"
        )
    };
    let options = "-O0 -Xclang -disable-llvm-passes";
    compare("program.ll", options, &text(one), &text(two), false);
    compare("program.ll", options, &text(one), &text(one), true);
}

/// A ring of nodes that have no names of their own.
fn ring(values: &[i32]) -> String {
    let node = |index: usize| {
        let next = (index + 1) % values.len();
        format!(
            "@n.{index} = private global {{ i32, ptr }} {{ i32 {}, ptr @n.{next} }}\n",
            values[index]
        )
    };
    let nodes: String = (0..values.len()).map(node).collect();
    format!("{nodes}define ptr @f() {{\n ret ptr @n.0\n}}\n")
}

#[test]
fn circles_have_hashes() {
    let of = |values: &[i32], others: &[i32], same: bool| {
        compare("program.ll", "-O0", &ring(values), &ring(others), same);
    };
    of(&[1, 2, 3], &[1, 2, 3], true);
    of(&[1, 2, 3], &[1, 3, 2], false);
    of(&[1, 2, 3], &[1, 2, 4], false);
    of(&[1, 2, 3], &[2, 3, 1], false);
    of(&[1, 1, 1], &[1, 1, 1, 1], false);
    of(&[1, 1, 1, 2], &[1, 1, 2, 1], false);
    of(&[5], &[5], true);
    of(&[5], &[6], false);
    // Deeper than any stack.
    let (mut long, other) = (vec![0; 20_000], vec![0; 20_000]);
    of(&long, &other, true);
    long[10_000] = 1;
    of(&long, &other, false);
}

#[test]
fn numbers_in_names_do_not_count() {
    let private = |first: &str, second: &str| {
        format!(
            "@{first} = private constant [2 x i8] c\"a\\00\"\n@{second} = private global i32 4\n\
             define ptr @f(i1 %c) {{\n %p = select i1 %c, ptr @{first}, ptr @{second}\n ret ptr %p\n}}\n"
        )
    };
    let (one, two) = (private(".str", "x"), private(".str.17", "x.3"));
    compare("program.ll", "-O0", &one, &two, true);
    let function = |name: &str, result: u32| {
        format!(
            "define internal i32 @{name}(i32 %x) {{\n %c = icmp eq i32 %x, 0\n br i1 %c, label %a, label %b\n\
             a:\n ret i32 {result}\nb:\n %y = sub i32 %x, 1\n %r = call i32 @{name}(i32 %y)\n ret i32 %r\n}}\n\
             define i32 @f(i32 %x) {{\n %r = call i32 @{name}(i32 %x)\n ret i32 %r\n}}\n"
        )
    };
    let numbered = |name: &str, result: u32, same: bool| {
        let (one, two) = (function("helper.1", 3), function(name, result));
        compare("program.ll", "-O0", &one, &two, same);
    };
    numbered("helper.12", 3, true);
    numbered("helper.12", 4, false);
    numbered("other.1", 3, false);
    // A name that lasts: the callee's code is its own business.
    let (one, two) = (function("helper", 3), function("helper", 4));
    compare("program.ll", "-O0", &one, &two, true);
}

#[test]
fn variables_without_lasting_names_are_told_apart() {
    let text = |body: &str| {
        format!(
            "int f(int x) {{ {{ static int n; n += x; }} {{ static int n; n *= x; x = n; }} \
             {{ static int n; {body} x ^= n; }} return x; }}"
        )
    };
    differ(&text("static int m; m++;"), &text("static int m; n++;"));
    // The last two have the same contents, and nothing of their own in their names.
    let numbered = |first: &str, second: &str| {
        format!(
            "@n.1 = internal global i32 0\n@n.2 = internal global i32 0\ndefine void @f() {{\n \
             store i32 1, ptr @n.1\n store i32 2, ptr @n.2\n store i32 3, ptr @{first}\n store i32 4, ptr @{second}\n \
             ret void\n}}\n"
        )
    };
    let (one, two) = (numbered("n.1", "n.2"), numbered("n.2", "n.1"));
    compare("program.ll", "-O0", &one, &two, false);
}

#[test]
fn lines_of_assertions_do_not_count() {
    let text = "#include <assert.h>\nint f(int x) { assert(x > 3); return x; }";
    let moved = text.replace("int f", "\n\n\nint f");
    same(text, &moved);
    differ(text, &moved.replace("x > 3", "x > 4"));
    // A program's own function may do anything with the number.
    let own = "void __assert_fail(const char *t, const char *f, unsigned l, const char *n) { __builtin_trap(); }\n";
    let own = text.replace("int f", &format!("{own}int f"));
    differ(&own, &own.replace("int f", "\n\n\nint f"));
}

#[test]
fn who_provides_a_callee_counts() {
    let text = "int abs(int); int f(int x) { return abs(x); }";
    let own = format!("{text} int abs(int x) {{ return x < 0 ? -x : x; }}");
    let other = text.replace("abs", "absent");
    differ(text, &other);
    differ(
        &other,
        &format!("{other} int absent(int x) {{ return x; }}"),
    );
    // The runtime's function is code, as the program's own is: what it does is in its own hash.
    same(text, &own);
    let weak = "__attribute__((weak)) int g(void); int f(int x) { return &g ? g() : x; }";
    differ(weak, &weak.replace("__attribute__((weak)) ", ""));
    let alias = "int a(void) { return 1; } int b(void) { return 2; } \
                 int g(void) __attribute__((alias(\"a\"))); int f(void) { return g(); }";
    differ(alias, &alias.replace("(\"a\")", "(\"b\")"));
}

#[test]
fn blocks_survive_edits_of_others() {
    if !has("clang-19") {
        return;
    }
    let text = "void g(int), h(long); int f(int a, int b, long c) { int r = a; \
        if (a) { g(b); } if (b) { h(c); r = 2; } while (c) { h(c - r); c--; } return r; }";
    let blocks = |text: &str| fingerprint("-O0", "program.c", text).blocks;
    let plain = blocks(text);
    // A variable of another type, and instructions.
    let edited = text.replace("g(b);", "short s = b; g(s * 2);");
    let after = blocks(&edited);
    let changed: Vec<bool> = plain.iter().zip(&after).map(|(a, b)| a != b).collect();
    let mut expected = vec![false; plain.len()];
    // Where variables are made, and what was edited.
    (expected[0], expected[1]) = (true, true);
    assert_eq!(changed, expected);
    // Blocks in front of all the others: only those whose branches lead across them are not the same any more.
    let inserted = text.replace("g(b);", "g(a ? b : 3);");
    let after = blocks(&inserted);
    assert!(after.len() > plain.len());
    let more = after.len() - plain.len();
    assert_eq!(plain[2..], after[2 + more..]);
}

#[test]
fn what_instructions_say_counts() {
    for (one, two) in [
        ("%r = add i32 %a, 1", "%r = add nsw i32 %a, 1"),
        ("%r = add i32 %a, 1", "%r = add nuw i32 %a, 1"),
        ("%r = add nsw i32 %a, 1", "%r = add nuw i32 %a, 1"),
        ("%r = udiv i32 %a, 4", "%r = udiv exact i32 %a, 4"),
        ("%r = lshr i32 %a, 4", "%r = lshr exact i32 %a, 4"),
        ("%r = or i32 %a, 4", "%r = or disjoint i32 %a, 4"),
        ("%r = zext i32 %a to i64", "%r = zext nneg i32 %a to i64"),
        ("%r = trunc i32 %a to i8", "%r = trunc nuw i32 %a to i8"),
        ("%r = fadd float %x, %x", "%r = fadd nnan float %x, %x"),
        ("%r = fneg float %x", "%r = fneg fast float %x"),
        (
            "%r = fcmp olt float %x, %x",
            "%r = fcmp ninf olt float %x, %x",
        ),
        ("%r = fcmp olt float %x, %x", "%r = fcmp ult float %x, %x"),
        (
            "%r = load i32, ptr %p, align 4",
            "%r = load i32, ptr %p, align 1",
        ),
        (
            "%r = load i32, ptr %p, align 4",
            "%r = load volatile i32, ptr %p, align 4",
        ),
        (
            "%r = load i32, ptr %p, align 4",
            "%r = load atomic i32, ptr %p acquire, align 4",
        ),
        (
            "%r = load atomic i32, ptr %p acquire, align 4",
            "%r = load atomic i32, ptr %p seq_cst, align 4",
        ),
        (
            "store i32 1, ptr %p, align 4",
            "store volatile i32 1, ptr %p, align 4",
        ),
        (
            "store i32 1, ptr %p, align 4",
            "store i32 1, ptr %p, align 2",
        ),
        (
            "%r = getelementptr i8, ptr %p, i64 4",
            "%r = getelementptr inbounds i8, ptr %p, i64 4",
        ),
        (
            "%r = getelementptr i8, ptr %p, i64 4",
            "%r = getelementptr i16, ptr %p, i64 4",
        ),
        ("fence acquire", "fence release"),
        (
            "%r = atomicrmw add ptr %p, i32 1 monotonic",
            "%r = atomicrmw add ptr %p, i32 1 seq_cst",
        ),
        (
            "%r = atomicrmw add ptr %p, i32 1 monotonic",
            "%r = atomicrmw sub ptr %p, i32 1 monotonic",
        ),
        (
            "%r = cmpxchg ptr %p, i32 1, i32 2 monotonic monotonic",
            "%r = cmpxchg weak ptr %p, i32 1, i32 2 monotonic monotonic",
        ),
        (
            "%r = call i32 @g(i32 1, ptr %p)",
            "%r = call fastcc i32 @g(i32 1, ptr %p)",
        ),
        (
            "%r = call i32 @g(i32 1, ptr %p)",
            "%r = call i32 @g(i32 1, ptr byval(i64) %p)",
        ),
        (
            "%r = call i32 @g(i32 1, ptr byval(i64) %p)",
            "%r = call i32 @g(i32 1, ptr byval(i32) %p)",
        ),
        ("%r = alloca i32, align 4", "%r = alloca i32, align 16"),
        (
            "%r = alloca i32, align 4",
            "%r = alloca i32, i32 2, align 4",
        ),
        ("%r = icmp slt i32 %a, 1", "%r = icmp ult i32 %a, 1"),
        (
            "%r = insertelement <2 x i32> undef, i32 %a, i32 0",
            "%r = insertelement <2 x i32> poison, i32 %a, i32 0",
        ),
        (
            "%r = shufflevector <2 x i8> zeroinitializer, <2 x i8> <i8 1, i8 2>, <2 x i32> <i32 0, i32 3>",
            "%r = shufflevector <2 x i8> zeroinitializer, <2 x i8> <i8 1, i8 2>, <2 x i32> <i32 0, i32 2>",
        ),
    ] {
        instructions_differ(one, two);
    }
}

#[test]
fn what_optimizers_find_out_does_not_count() {
    let call = |mark: &str, attributes: &str| {
        format!(
            "declare i32 @g(i32){attributes}\ndefine i32 @f(i32 %a) {{\n %r = {mark}call i32 @g(i32 %a)\n \
             ret i32 %r\n}}\n"
        )
    };
    let (one, two) = (call("", ""), call("tail ", " nounwind"));
    compare("program.ll", "-O0", &one, &two, true);
    compare("program.ll", "-O0", &one, &call("notail ", ""), false);
}
