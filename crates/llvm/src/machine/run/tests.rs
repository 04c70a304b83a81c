//! Every operation of the table through lowering and both loops: on numbers and on terms, with operands in registers
//! and constant, as values and as conditions of branches. What must come out is what folding gives.

use std::collections::HashSet;

use refrain_machine::{Answer, Ask, Machine as _, Stop};
use refrain_term::{
    Assignment, Bv, Evaluator, Op as TermOp, Sort, Term, Terms, Value as TermValue,
};

use crate::code::{Encoding, Op};
use crate::ir::{
    Block, BlockId, Body, Call, Callee, CastOp, ConstId, ConstKind, Constant, Function, Inst,
    InstKind, Linkage, LocId, LocalId, Module, Operand, Symbol, SymbolId, SymbolKind, Type, TypeId,
    Wrap,
};
use crate::load::Options;
use crate::machine::{End, ErrorKind, Machine, State, Then};
use crate::memory::Value;
use crate::native::Detached;
use crate::ops::{ArithmeticError, Cast, IntOp, Outcome, Source};

const WIDTHS: &[u32] = &[1, 8, 13, 16, 32, 33, 64, 65, 80, 128, 192];

/// Words of results that the caller has room for.
const ROOM: usize = 8;

/// One function of the program.
#[derive(Clone, Debug)]
struct Case {
    what: What,
    width: u32,
    /// The operands that are constants.
    constants: Vec<Option<Bv>>,
}

#[derive(Clone, Copy, Debug)]
enum What {
    Operation(IntOp),
    /// A branch on a comparison: 1 where it is taken.
    Branch(IntOp),
    Cast(Cast, u32),
}

impl Case {
    /// What it gives: words, or why it is an error.
    fn expected(&self, args: &[Bv], checks: bool) -> Result<Vec<u64>, ArithmeticError> {
        let op = match self.what {
            What::Cast(cast, to) => return Ok(cast.fold(&args[0], to).words().to_vec()),
            What::Operation(op) | What::Branch(op) => op,
        };
        let undefined = op.checks().iter().find(|&&(condition, _)| {
            let is_checked = checks && matches!(op.source(), Source::Binary(_)) && self.width <= 64;
            is_checked && condition.fold(args) == Ok(Bv::one(1))
        });
        if let Some(&(_, error)) = undefined {
            return Err(error);
        }
        let mut words = match op.overflow_of() {
            Some(calculation) => calculation.fold(args)?.words().to_vec(),
            None => Vec::new(),
        };
        let result = op.fold(args)?;
        let result = match self.order_bits() {
            Some(bits) if bits < self.width => result.extract(bits - 1, 0),
            _ => result,
        };
        words.extend_from_slice(result.words());
        Ok(words)
    }

    /// The bits of -1, 0 and 1, which have a type of their own.
    fn order_bits(&self) -> Option<u32> {
        matches!(self.what, What::Operation(IntOp::UCmp | IntOp::SCmp)).then_some(self.width.min(8))
    }
}

/// A module of one function a case.
struct Builder {
    module: Module,
}

impl Builder {
    fn int(&mut self, width: u32) -> TypeId {
        self.module.types.intern(Type::Int(width))
    }

    fn constant(&mut self, ty: TypeId, kind: ConstKind) -> Operand {
        self.module.constants.push(Constant { ty, kind });
        Operand::Const(ConstId(self.module.constants.len() as u32 - 1))
    }

    fn number(&mut self, number: &Bv) -> Operand {
        let ty = self.int(number.width());
        let kind = match number.small() {
            Some(word) => ConstKind::Int(word),
            None => ConstKind::Wide(number.words().to_vec()),
        };
        self.constant(ty, kind)
    }

    fn function(
        &mut self,
        name: String,
        params: &[TypeId],
        result: TypeId,
        body: Option<Body>,
    ) -> SymbolId {
        let ty = self.module.types.intern(Type::Function {
            result,
            params: params.to_vec(),
            variadic: false,
        });
        self.module.symbols.push(Symbol {
            name,
            linkage: Linkage::External,
            comdat: None,
            section: None,
            kind: SymbolKind::Function(Function {
                ty,
                params: Vec::new(),
                personality: None,
                body,
                debug: None,
            }),
        });
        SymbolId(self.module.symbols.len() as u32 - 1)
    }

    /// Something to return to.
    fn caller(&mut self) {
        let word = self.int(64);
        let void = self.module.types.intern(Type::Void);
        let end = || block(vec![(None, InstKind::Unreachable)]);
        let body = Body {
            locals: vec![word; ROOM],
            blocks: vec![end(), end()],
            variables: Vec::new(),
            parameters: Vec::new(),
        };
        self.function("caller".into(), &[word; ROOM], void, Some(body));
    }

    fn case(&mut self, index: usize, case: &Case) {
        let ty = self.int(case.width);
        let mut params = Vec::new();
        let mut operands = Vec::new();
        for constant in &case.constants {
            operands.push(match constant {
                Some(number) => self.number(number),
                None => {
                    params.push(ty);
                    Operand::Local(LocalId(params.len() as u32 - 1))
                }
            });
        }
        let bit = self.int(1);
        let result = match case.what {
            What::Cast(_, to) => self.int(to),
            What::Branch(_) => bit,
            What::Operation(op) => match (op.outcome(), op.overflow_of(), case.order_bits()) {
                (_, _, Some(bits)) => self.int(bits),
                (Outcome::Word, ..) => ty,
                (Outcome::Bit, None, _) => bit,
                (Outcome::Bit, Some(_), _) => self.module.types.intern(Type::Struct {
                    name: None,
                    fields: vec![ty, bit],
                    packed: false,
                }),
            },
        };
        let kind = self.instruction(case, &operands, ty, result);
        let local = LocalId(params.len() as u32);
        let mut locals = params.clone();
        locals.push(result);
        let blocks = match case.what {
            What::Branch(_) => {
                let (yes, no) = (self.number(&Bv::new(1, 1)), self.number(&Bv::new(1, 0)));
                let branch = InstKind::CondBr {
                    condition: Operand::Local(local),
                    then: BlockId(2),
                    other: BlockId(1),
                };
                vec![
                    block(vec![(Some(local), kind), (None, branch)]),
                    block(vec![(None, InstKind::Ret(Some(no)))]),
                    block(vec![(None, InstKind::Ret(Some(yes)))]),
                ]
            }
            _ => {
                let ret = InstKind::Ret(Some(Operand::Local(local)));
                vec![block(vec![(Some(local), kind), (None, ret)])]
            }
        };
        let body = Body {
            locals,
            blocks,
            variables: Vec::new(),
            parameters: Vec::new(),
        };
        self.function(format!("case{index}"), &params, result, Some(body));
    }

    fn instruction(
        &mut self,
        case: &Case,
        operands: &[Operand],
        ty: TypeId,
        result: TypeId,
    ) -> InstKind {
        let op = match case.what {
            What::Cast(cast, _) => {
                let op = match cast {
                    Cast::Truncate => CastOp::Trunc,
                    Cast::ZeroExtend => CastOp::ZExt,
                    Cast::SignExtend => CastOp::SExt,
                };
                return InstKind::Cast {
                    op,
                    value: operands[0],
                };
            }
            What::Operation(op) | What::Branch(op) => op,
        };
        match op.source() {
            Source::Binary(op) => InstKind::Binary {
                op,
                a: operands[0],
                b: operands[1],
                wrap: Wrap {
                    no_signed: true,
                    no_unsigned: false,
                },
            },
            Source::Compare(predicate) => InstKind::ICmp {
                predicate,
                a: operands[0],
                b: operands[1],
            },
            Source::Intrinsic(name) => {
                let name = format!("llvm.{name}.i{}", case.width);
                let symbol = self.function(name, &vec![ty; operands.len()], result, None);
                let pointer = self.module.types.intern(Type::Pointer {
                    pointee: None,
                    space: 0,
                });
                let callee = self.constant(pointer, ConstKind::Symbol(symbol));
                let ty = self.module.types.intern(Type::Function {
                    result,
                    params: vec![ty; operands.len()],
                    variadic: false,
                });
                InstKind::Call(Call {
                    callee: Callee::Value(callee),
                    ty,
                    args: operands.to_vec(),
                    by_value: Vec::new(),
                    predicate: None,
                })
            }
            Source::Condition => panic!("conditions are no instructions"),
        }
    }
}

fn block(insts: Vec<(Option<LocalId>, InstKind)>) -> Block {
    let inst = |(result, kind)| Inst {
        result,
        kind,
        loc: LocId(0),
        flags: 0,
    };
    Block {
        insts: insts.into_iter().map(inst).collect(),
    }
}

/// Numbers of a width at which encodings change: what fits an immediate and what does not.
fn constants(width: u32) -> Vec<Bv> {
    let sized = |value: i64| {
        let words = (0..width.div_ceil(64)).map(|word| {
            if word == 0 {
                value as u64
            } else {
                (value >> 63) as u64
            }
        });
        Bv::from_words(width, words.collect())
    };
    let mut numbers: Vec<Bv> = [
        0,
        1,
        -1,
        7,
        -7,
        i64::from(width) - 1,
        i64::from(width),
        i64::from(i32::MAX),
        i64::from(i32::MIN),
        i64::from(u32::MAX),
        1 << 40,
    ]
    .into_iter()
    .map(sized)
    .collect();
    numbers.extend([Bv::min_signed(width), Bv::max_signed(width)]);
    numbers.sort_by(|a, b| a.ucmp(b));
    numbers.dedup();
    numbers
}

fn cases() -> Vec<Case> {
    let mut cases = Vec::new();
    for &op in IntOp::ALL {
        for &width in WIDTHS.iter().filter(|&&width| op.has_width(width)) {
            let whats = match op.source() {
                Source::Condition => vec![],
                Source::Compare(_) => vec![What::Operation(op), What::Branch(op)],
                _ => vec![What::Operation(op)],
            };
            for what in whats {
                let mut add = |constants: Vec<Option<Bv>>| {
                    cases.push(Case {
                        what,
                        width,
                        constants,
                    });
                };
                add(vec![None; op.operands()]);
                if op.operands() == 2 {
                    for number in constants(width) {
                        add(vec![None, Some(number.clone())]);
                        add(vec![Some(number), None]);
                    }
                }
            }
        }
    }
    for cast in Cast::ALL {
        for &from in WIDTHS {
            for &to in WIDTHS
                .iter()
                .filter(|&&to| to != from && cast.fits(from, to))
            {
                cases.push(Case {
                    what: What::Cast(cast, to),
                    width: from,
                    constants: vec![None],
                });
            }
        }
    }
    cases
}

fn program(cases: &[Case], checks: bool) -> (Machine, State) {
    let mut builder = Builder {
        module: Module::default(),
    };
    builder.caller();
    for (index, case) in cases.iter().enumerate() {
        builder.case(index, case);
    }
    let program = crate::link::link(vec![builder.module]).expect("one module links");
    let options = Options {
        check_overflow: checks,
        ..Options::default()
    };
    Machine::new(program, options, Box::new(Detached)).expect("a module without variables loads")
}

/// Calls a case with operands that are numbers, or terms whose values are these numbers.
struct Caller {
    machine: Machine,
    state: State,
    terms: Terms,
    evaluator: Evaluator,
    assignment: Assignment,
}

impl Caller {
    fn evaluate(&mut self, term: Term) -> u64 {
        match self.evaluator.value(&self.terms, &self.assignment, term) {
            TermValue::Bool(value) => u64::from(value),
            TermValue::Bv(value) => value.small().expect("a word"),
            other => panic!("{other:?} is no word"),
        }
    }

    /// The words of an operand: numbers, or parts of a variable of this value.
    fn words(&mut self, number: &Bv, name: &str, symbolic: bool) -> Vec<Value> {
        if !symbolic {
            return number
                .words()
                .iter()
                .copied()
                .map(Value::Concrete)
                .collect();
        }
        let width = number.width();
        let variable = self
            .terms
            .var(&format!("{name}{width}"), Sort::BitVec(width));
        if let TermOp::Var(variable) = self.terms.op(variable) {
            self.assignment.set(variable, TermValue::Bv(number.clone()));
        }
        let part = |word: u32| (word * 64, (word * 64 + 63).min(width - 1));
        let parts = (0..width.div_ceil(64)).map(part);
        let words =
            parts.map(|(low, high)| Value::Symbolic(self.terms.extract(variable, high, low)));
        words.collect()
    }

    fn call(
        &mut self,
        index: usize,
        args: &[Bv],
        symbolic: &[bool],
    ) -> Result<Vec<u64>, ErrorKind> {
        self.evaluator.forget();
        let mut words = Vec::new();
        for (index, (arg, &symbolic)) in args.iter().zip(symbolic).enumerate() {
            words.extend(self.words(arg, ["a", "b", "c"][index], symbolic));
        }
        let function = |name: &str| {
            self.machine
                .linked
                .find(name)
                .expect("a function of the module")
        };
        let (caller, callee) = (function("caller"), function(&format!("case{index}")));
        let state = &mut self.state;
        state.frames.clear();
        state.answers.clear();
        let entered = self.machine.enter(state, caller, &[], 0, Then::Exit);
        entered.expect("the first frame");
        let entered = self.machine.enter(state, callee, &words, 0, Then::Continue);
        entered.expect("the second frame");
        state.top_mut().results = ROOM as u32;
        let error = loop {
            match self
                .machine
                .run(&mut self.terms, &mut self.state, u64::MAX / 2)
            {
                Stop::Ask(Ask::Choose(conditions)) => {
                    let holds = |&condition: &Term| self.evaluate(condition) == 1;
                    let answer = conditions
                        .iter()
                        .position(holds)
                        .expect("one of them holds");
                    self.machine
                        .answer(&mut self.state, &Answer::Choice(answer as u32));
                }
                Stop::End(End::Error(error)) => break error,
                other => panic!("{other:?}"),
            }
        };
        if error.kind != ErrorKind::Unreachable {
            return Err(error.kind);
        }
        let values: Vec<Value> = (0..ROOM as u32).map(|word| self.state.get(word)).collect();
        let word = |value: &Value| match *value {
            Value::Concrete(value) => value,
            Value::Symbolic(term) => self.evaluate(term),
        };
        Ok(values.iter().map(word).collect())
    }
}

fn kind(error: ArithmeticError) -> ErrorKind {
    match error {
        ArithmeticError::DivisionByZero => ErrorKind::DivisionByZero,
        ArithmeticError::DivisionOverflow => ErrorKind::DivisionOverflow,
        ArithmeticError::SignedOverflow => ErrorKind::SignedOverflow,
        ArithmeticError::ShiftTooFar => ErrorKind::ShiftTooFar,
    }
}

/// Runs all cases; the opcodes that they are made of.
fn run_all(checks: bool) -> HashSet<Op> {
    let cases = cases();
    let (machine, state) = program(&cases, checks);
    let mut caller = Caller {
        machine,
        state,
        terms: Terms::new(),
        evaluator: Evaluator::new(),
        assignment: Assignment::default(),
    };
    let mut opcodes = HashSet::new();
    for (index, case) in cases.iter().enumerate() {
        let function = caller.machine.linked.find(&format!("case{index}"));
        let code = caller
            .machine
            .linked
            .code(function.expect("a function of the module"));
        let code = code.unwrap_or_else(|error| panic!("{case:?}: {error}"));
        opcodes.extend(code.instrs.iter().map(|i| i.op));

        let numbers = constants(case.width);
        // Each number against each other, in an order in which neighbours are far apart.
        for round in 0..2 * numbers.len() {
            let pick =
                |place: usize| &numbers[(round * (2 * place + 1) + 5 * place) % numbers.len()];
            let (mut args, mut given) = (Vec::new(), Vec::new());
            for (place, constant) in case.constants.iter().enumerate() {
                let number = constant.clone().unwrap_or_else(|| pick(place).clone());
                if constant.is_none() {
                    given.push(number.clone());
                }
                args.push(number);
            }
            let expected = case.expected(&args, checks).map_err(kind);
            for symbolic in [
                [false; 3],
                [true; 3],
                [true, false, true],
                [false, true, false],
            ] {
                let result = caller.call(index, &given, &symbolic[..given.len()]);
                let words = expected.as_ref().map_or(0, Vec::len);
                let result = result.map(|all| all[..words].to_vec());
                assert_eq!(
                    result, expected,
                    "{case:?} on {args:?}, symbolic: {symbolic:?}"
                );
            }
        }
    }
    opcodes
}

#[test]
fn every_operation_runs_as_the_table_says() {
    let mut opcodes = run_all(false);
    opcodes.extend(run_all(true));
    for &op in Op::ALL {
        let is_calculation = matches!(
            op.encoding(),
            Encoding::Int(..)
                | Encoding::Overflowing(..)
                | Encoding::Branch(..)
                | Encoding::Truncate
                | Encoding::SignExtend(_)
        );
        assert!(
            !is_calculation || opcodes.contains(&op),
            "nothing makes use of {op:?}"
        );
    }
}
