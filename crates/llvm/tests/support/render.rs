//! Trees as C.

use std::fmt::Write;

use super::program::{Function, Guard, Kind, Node, PLACES, POINTERS, TABLES};

/// What all programs start with.
pub const PRELUDE: &str = include_str!("prelude.h");

/// A file with these functions, numbered from zero.
pub fn file(functions: &[Function]) -> String {
    let mut text = String::from(PRELUDE);
    for (index, function) in functions.iter().enumerate() {
        text += &one(function, index);
    }
    for index in 0..functions.len() {
        let _ = writeln!(
            text,
            "int main{index}(void) {{ result = f{index}(); return 0; }}"
        );
    }
    text += "u64 (*const functions[])(void) = {";
    for index in 0..functions.len() {
        let _ = write!(text, "f{index}, ");
    }
    text += "};\n";
    text
}

/// One function as text, with its helpers.
pub fn one(function: &Function, index: usize) -> String {
    let mut writer = Writer {
        text: String::new(),
        indent: 1,
        loops: 0,
        index,
    };
    writer.statement(&function.body);
    let body = writer.text;
    let mut text = String::new();
    for (number, helper) in function.helpers.iter().enumerate() {
        let name = format!("h{number}_{index}");
        if body.contains(&name) || body.contains("FT") {
            let shape = [
                "static u32 #(u32 a, i32 b)",
                "static __attribute__((noinline)) i64 #(i64 a, u8 b)",
            ][number];
            let writer = Writer {
                text: String::new(),
                indent: 0,
                loops: 0,
                index,
            };
            let value = writer.expression(helper);
            let _ = writeln!(text, "{} {{ return {value}; }}", shape.replace('#', &name));
        }
    }
    if body.contains("FT_") {
        let _ = writeln!(
            text,
            "static i64 w_{index}(i64 a, u8 b) {{ return h0_{index}(a, b); }}"
        );
        let _ = writeln!(
            text,
            "static i64 (*const FT_{index}[4])(i64, u8) = {{ h1_{index}, w_{index}, h1_{index}, fn0 }};"
        );
    }
    let _ = writeln!(text, "u64 f{index}(void) {{");
    let mut ends = String::new();
    for (name, declaration, end) in LOCALS {
        if body.contains(name) {
            let _ = writeln!(text, "    {declaration}");
            ends += end;
        }
    }
    for (number, ty) in function.vars.iter().enumerate() {
        let name = format!("v{number}");
        let source = (number * 3) % 8;
        let _ = writeln!(text, "    {} {name} = ({})in[{source}];", ty.0, ty.0);
        let _ = writeln!(ends, "    ADD({name});");
    }
    text += "    u64 acc = 0;\n";
    text += &body;
    text += &ends;
    text += "    return acc;\n}\n";
    text
}

/// Local variables by the name that tells that they are used, with what adds them to the result.
const LOCALS: &[(&str, &str, &str)] = &[
    (
        "A0",
        "u8 A0[8] = { 1, 2, in[0], 4, in[1], 6, 7, in[2] };",
        "    for (int k = 0; k < 8; k++) ADD(A0[k]);\n",
    ),
    (
        "A1",
        "u16 A1[4] = { 1000, in[3], 3, 0xfff0 };",
        "    for (int k = 0; k < 4; k++) ADD(A1[k]);\n",
    ),
    (
        "A2",
        "i32 A2[4] = { -1, in[4], 0x7fffffff, 5 };",
        "    for (int k = 0; k < 4; k++) ADD(A2[k]);\n",
    ),
    (
        "A3",
        "u64 A3[4] = { 1, 2, in[5], ~0ull };",
        "    for (int k = 0; k < 4; k++) ADD(A3[k]);\n",
    ),
    (
        "A4",
        "i8 A4[16] = { 0, in[1], in[2], in[3], in[4], 5, 6, -7, 8 };",
        "    for (int k = 0; k < 16; k++) ADD(A4[k]);\n",
    ),
    ("G0", "", "    for (int k = 0; k < 8; k++) ADD(G0[k]);\n"),
    ("G1", "", "    for (int k = 0; k < 4; k++) ADD(G1[k]);\n"),
    (
        "U.",
        "union U U; U.a = 0x0123456789abcdefull ^ in[6];",
        "    ADD(U.a);\n",
    ),
    (
        "S[",
        "struct S S[4] = { { 1, 2, 3, 4, 5, 6, 1, 7, 8 }, { in[0], in[1], in[2] }, { 0 }, { 9, -9, in[7], 5, -3, 77, 0, 12345678901ull, 99 } };",
        "    for (int k = 0; k < 4; k++) { ADD(S[k].a); ADD(S[k].b); ADD(S[k].c); ADD(S[k].d); ADD(S[k].e); ADD(S[k].f); ADD(S[k].g); ADD(S[k].h); ADD(S[k].w); }\n",
    ),
    (
        "P[",
        "struct P P[4] = { { 1, 2, 3, 4 }, { 5, in[3], -7, in[4] } };",
        "    for (int k = 0; k < 4; k++) { ADD(P[k].a); ADD(P[k].b); ADD(P[k].c); ADD(P[k].d); }\n",
    ),
    (
        "M[",
        "u16 M[4][4] = { { 1, 2, 3, 4 }, { 5, in[0], 7 }, { in[1], 10, in[2] } };",
        "    for (int k = 0; k < 16; k++) ADD(M[k / 4][k % 4]);\n",
    ),
    (
        "H[",
        "i16 *H = malloc(16); for (int k = 0; k < 8; k++) H[k] = k * 1000 + in[k];",
        "    for (int k = 0; k < 8; k++) ADD(H[k]);\n    free(H);\n",
    ),
    ("p0", "u8 *p0 = &G0[1];", "    ADD(*p0);\n"),
    ("p1", "i32 *p1 = &G1[2];", "    ADD(*p1);\n"),
    (
        "p2",
        "u16 Q[2] = { 4660, in[5] }; u16 *p2 = &Q[1];",
        "    ADD(*p2); ADD(Q[0]); ADD(Q[1]);\n",
    ),
];

struct Writer {
    text: String,
    indent: usize,
    loops: usize,
    index: usize,
}

/// An element of something, at an index that is always good.
fn element((pattern, len): (&str, u64), index: &str) -> String {
    pattern.replace('#', &format!("({index}) & {}", len - 1))
}

impl Writer {
    fn line(&mut self, text: &str) {
        let _ = writeln!(self.text, "{:1$}{text}", "", 4 * self.indent);
    }

    fn expression(&self, node: &Node) -> String {
        let kids: Vec<String> = node.kids.iter().map(|kid| self.expression(kid)).collect();
        let joined = kids.join(", ");
        match node.kind {
            Kind::Const(ty, value) => format!("(({}){value}ull)", ty.0),
            Kind::In(ty, offset) if ty.1 == 8 => format!("(({})in[{offset}])", ty.0),
            Kind::In(ty, offset) => format!("LD({}, {offset})", ty.0),
            Kind::Var(index) => format!("v{index}"),
            Kind::Parameter(index) => ["a", "b"][index].into(),
            Kind::Unary(op, ty) => format!("(({0}){op}({0})({joined}))", ty.0),
            Kind::Binary(op, ty) => format!(
                "(({0})(({0})({1}) {op} ({0})({2})))",
                ty.0, kids[0], kids[1]
            ),
            Kind::Shift(op, ty) => format!(
                "(({0})(({0})({1}) {op} (({2}) & {3})))",
                ty.0,
                kids[0],
                kids[1],
                ty.1 - 1
            ),
            Kind::Div(op, ty, Guard::None) => format!("TRAP({}, {op}, {joined})", ty.0),
            Kind::Div(op, ty, Guard::Zero) => format!("DIVZ({}, {op}, {joined})", ty.0),
            Kind::Div(op, ty, Guard::Full) => format!("DIV({}, {op}, {joined})", ty.0),
            Kind::Compare(op, ty) => {
                format!("(({0})({1}) {op} ({0})({2}))", ty.0, kids[0], kids[1])
            }
            Kind::Logic(op) => format!("(({}) {op} ({}))", kids[0], kids[1]),
            Kind::Cond(ty) => format!(
                "(({0})(({1}) ? ({0})({2}) : ({0})({3})))",
                ty.0, kids[0], kids[1], kids[2]
            ),
            Kind::Cast(ty) => format!("(({})({joined}))", ty.0),
            Kind::Table(index) => element(TABLES[index], &joined),
            Kind::Read(index) => element(PLACES[index], &joined),
            Kind::Deref(index) => format!("(*{})", POINTERS[index].0),
            Kind::Call(number) => format!("h{number}_{}({joined})", self.index),
            Kind::FnPtr => format!(
                "FT_{}[({}) & 3]({}, {})",
                self.index, kids[0], kids[1], kids[2]
            ),
            Kind::Macro(name) => format!("{name}({joined})"),
            Kind::Typed(name, ty) => format!("{name}({}, {joined})", ty.0),
            _ => unreachable!("a statement is not an expression"),
        }
    }

    fn statement(&mut self, node: &Node) {
        let value = |writer: &Writer, kid: usize| writer.expression(&node.kids[kid]);
        match node.kind {
            Kind::Block => {
                for kid in &node.kids {
                    self.statement(kid);
                }
            }
            Kind::Set(var, op) => {
                let line = format!("v{var} {op} {};", value(self, 0));
                self.line(&line);
            }
            Kind::Write(place, op) => {
                let line = format!(
                    "{} {op} {};",
                    element(PLACES[place], &value(self, 0)),
                    value(self, 1)
                );
                self.line(&line);
            }
            Kind::SetPtr(pointer, then, other) => {
                let (then, other) = (
                    element(PLACES[then], &value(self, 1)),
                    element(PLACES[other], &value(self, 2)),
                );
                let line = format!(
                    "{} = ({}) ? &{then} : &{other};",
                    POINTERS[pointer].0,
                    value(self, 0)
                );
                self.line(&line);
            }
            Kind::SetDeref(pointer) => {
                let line = format!("*{} = {};", POINTERS[pointer].0, value(self, 0));
                self.line(&line);
            }
            Kind::If => {
                let line = format!("if ({}) {{", value(self, 0));
                self.line(&line);
                self.nested(&node.kids[1], false);
                if !node.kids[2].kids.is_empty() {
                    self.line("} else {");
                    self.nested(&node.kids[2], false);
                }
                self.line("}");
            }
            Kind::Switch(cases) => {
                let line = format!("switch ((int)({})) {{", value(self, 0));
                self.line(&line);
                for (index, case) in cases.iter().copied().chain(["default:"]).enumerate() {
                    self.line(case);
                    self.nested(&node.kids[index + 1], false);
                    // The second falls through.
                    if index != 1 {
                        self.line("    break;");
                    }
                }
                self.line("}");
            }
            Kind::For => {
                let depth = self.loops;
                let line = format!(
                    "for (unsigned k{depth} = 0; k{depth} < (({}) & 3); k{depth}++) {{",
                    value(self, 0)
                );
                self.line(&line);
                self.nested(&node.kids[1], true);
                self.line("}");
            }
            Kind::While => {
                let depth = self.loops;
                let line = format!(
                    "for (u8 k{depth} = 3; k{depth} > 0 && ({}); k{depth}--) {{",
                    value(self, 0)
                );
                self.line(&line);
                self.nested(&node.kids[1], true);
                self.line("}");
            }
            Kind::Break => {
                if self.loops > 0 {
                    let line = format!("if ({}) break;", value(self, 0));
                    self.line(&line);
                }
            }
            Kind::Return => {
                let line = format!("if ({}) return (u64)({});", value(self, 0), value(self, 1));
                self.line(&line);
            }
            Kind::Do(name) => {
                let kids: Vec<String> = node.kids.iter().map(|kid| self.expression(kid)).collect();
                let text = format!("DO_{name}({});", kids.join(", "));
                // The macro's own use of variables is not seen in the text.
                let uses = match name {
                    "COPY01" | "COPY10" => "/* A0 A1 */",
                    "COPYG" => "/* G0 A4 */",
                    "MOVE" | "FILL" | "FILLAT" => "/* A4 */",
                    "STRUCTCOPY" | "STRUCTMAKE" => "/* S[ */",
                    "LOOPMAP" => "/* A0 A4 */",
                    "LOOPSUM" | "LOOPMAX" => "/* A4 */",
                    "LOOPSHORT" => "/* M[ */",
                    "SWAP" => "/* A2 */",
                    "HEAP" | "REALLOC" => "/* H[ */",
                    _ => "/* A3 */",
                };
                self.line(&format!("{text} {uses}"));
            }
            _ => unreachable!("an expression is not a statement"),
        }
    }

    fn nested(&mut self, node: &Node, is_loop: bool) {
        let loops = self.loops;
        // A `break` in a `switch` would leave that.
        self.loops = if is_loop { loops + 1 } else { loops };
        self.indent += 1;
        self.statement(node);
        self.indent -= 1;
        self.loops = loops;
    }
}
