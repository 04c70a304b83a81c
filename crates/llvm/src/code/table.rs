//! The table of opcodes.
//!
//! An opcode is an operation together with where its operands are. The table says so once: the main loop makes its arms
//! of the rows (`machine::run`), everything else asks for an opcode's [`Encoding`](super::Encoding), or for the opcode
//! that encodes an operation. No meaning depends on the order of the rows. Speed does: the compiler lays out the arms of
//! the main loop in this order.
//!
//! A row is `name = family(arguments)`. Of integer operations, the width is `32`, `64`, that of the field `x`, or
//! `any`: the meaning on zero-extended words is then the same as at 64 bits. Operands are
//!
//! * `one`: the register `a`;
//! * `two`: the registers `a` and `b`;
//! * `three`: these and the register in `a` of the instruction's second half;
//! * `signed`, `unsigned`: the register `a`, and `b` as an immediate, sign- or zero-extended.

/// Hands the table to a macro, behind the tokens given.
macro_rules! opcodes {
    ($then:ident $context:tt) => {
        $then! { $context
            // `dst = a`.
            Mov = mov();
            // `dst = b:a`, an immediate.
            Imm = imm();

            // `dst = a op b`.
            Add32 = int(Add, 32, two);         Add64 = int(Add, 64, two);         AddN = int(Add, x, two);
            Add32I = int(Add, 32, signed);     Add64I = int(Add, 64, signed);     AddNI = int(Add, x, signed);
            Sub32 = int(Sub, 32, two);         Sub64 = int(Sub, 64, two);         SubN = int(Sub, x, two);
            Sub32I = int(Sub, 32, signed);     Sub64I = int(Sub, 64, signed);     SubNI = int(Sub, x, signed);
            Mul32 = int(Mul, 32, two);         Mul64 = int(Mul, 64, two);         MulN = int(Mul, x, two);
            Mul32I = int(Mul, 32, signed);     Mul64I = int(Mul, 64, signed);     MulNI = int(Mul, x, signed);
            Shl32 = int(Shl, 32, two);         Shl64 = int(Shl, 64, two);         ShlN = int(Shl, x, two);
            Shl32I = int(Shl, 32, signed);     Shl64I = int(Shl, 64, signed);     ShlNI = int(Shl, x, signed);
            AShr32 = int(AShr, 32, two);       AShr64 = int(AShr, 64, two);       AShrN = int(AShr, x, two);
            AShr32I = int(AShr, 32, signed);   AShr64I = int(AShr, 64, signed);   AShrNI = int(AShr, x, signed);
            LShr = int(LShr, any, two);        LShrI = int(LShr, any, unsigned);
            And = int(And, any, two);          AndI = int(And, any, unsigned);
            Or = int(Or, any, two);            OrI = int(Or, any, unsigned);
            Xor = int(Xor, any, two);          XorI = int(Xor, any, unsigned);
            UDiv = int(UDiv, any, two);        UDivI = int(UDiv, any, unsigned);
            URem = int(URem, any, two);        URemI = int(URem, any, unsigned);
            SDiv = int(SDiv, x, two);          SDivI = int(SDiv, x, signed);
            SRem = int(SRem, x, two);          SRemI = int(SRem, x, signed);

            // Comparisons.
            SetEq = int(Eq, any, two);         SetNe = int(Ne, any, two);
            SetUlt = int(Ult, any, two);       SetUle = int(Ule, any, two);
            SetSlt32 = int(Slt, 32, two);      SetSlt64 = int(Slt, 64, two);      SetSltN = int(Slt, x, two);
            SetSle32 = int(Sle, 32, two);      SetSle64 = int(Sle, 64, two);      SetSleN = int(Sle, x, two);
            SetEqI = int(Eq, any, unsigned);   SetNeI = int(Ne, any, unsigned);
            SetUltI = int(Ult, any, unsigned); SetUgtI = int(Ugt, any, unsigned);
            SetSlt32I = int(Slt, 32, signed);  SetSlt64I = int(Slt, 64, signed);  SetSltNI = int(Slt, x, signed);
            SetSgt32I = int(Sgt, 32, signed);  SetSgt64I = int(Sgt, 64, signed);  SetSgtNI = int(Sgt, x, signed);
            // The same as branches: to `dst` if it holds, else to the next instruction. `x` counts instructions of the
            // block.
            BrEq = branch(Eq, any, two);       BrNe = branch(Ne, any, two);
            BrUlt = branch(Ult, any, two);     BrUle = branch(Ule, any, two);
            BrSlt32 = branch(Slt, 32, two);    BrSlt64 = branch(Slt, 64, two);
            BrSle32 = branch(Sle, 32, two);    BrSle64 = branch(Sle, 64, two);
            BrEqI = branch(Eq, any, unsigned); BrNeI = branch(Ne, any, unsigned);
            BrUltI = branch(Ult, any, unsigned); BrUgtI = branch(Ugt, any, unsigned);
            BrSlt32I = branch(Slt, 32, signed); BrSlt64I = branch(Slt, 64, signed);
            BrSgt32I = branch(Sgt, 32, signed); BrSgt64I = branch(Sgt, 64, signed);
            // `dst = a ? b : next.a`.
            Select = select();
            // To `dst` if bit `a` is this.
            BrIf = branch_if(true);            BrUnless = branch_if(false);
            // To `dst`.
            Jump = jump();
            // `a` selects in jump table `b`.
            Switch = switch();

            // `dst = a` cut to `x` bits; sign-extended from `x` bits to as many, or to `b`.
            Trunc = truncate();                SExt32 = sign_extend(32);
            SExt64 = sign_extend(64);          SExtN = sign_extend(b);

            // `dst = a + b * x`.
            Lea = lea();
            // `dst` = so many bits at `a + b`, `b` signed; at `a + b * x`; at the immediate `b:a`.
            Load8 = load(8, offset);           Load16 = load(16, offset);
            Load32 = load(32, offset);         Load64 = load(64, offset);
            LoadX8 = load(8, indexed);         LoadX16 = load(16, indexed);
            LoadX32 = load(32, indexed);       LoadX64 = load(64, indexed);
            LoadAbs8 = load(8, absolute);      LoadAbs16 = load(16, absolute);
            LoadAbs32 = load(32, absolute);    LoadAbs64 = load(64, absolute);
            // `dst` = `next.a` bytes at `a + b`, cut to `x` bits.
            LoadN = load_bits();
            // `b` to `a + dst`, `dst` signed; the immediate `b` to there; `dst` to `a + b * x`; `dst` to `b:a`.
            Store8 = store(8, offset);         Store16 = store(16, offset);
            Store32 = store(32, offset);       Store64 = store(64, offset);
            Store8I = store_immediate(8);      Store16I = store_immediate(16);
            Store32I = store_immediate(32);    Store64I = store_immediate(64);
            StoreX8 = store(8, indexed);       StoreX16 = store(16, indexed);
            StoreX32 = store(32, indexed);     StoreX64 = store(64, indexed);
            StoreAbs8 = store(8, absolute);    StoreAbs16 = store(16, absolute);
            StoreAbs32 = store(32, absolute);  StoreAbs64 = store(64, absolute);
            // `b` to `a + dst`, of `x` bytes.
            StoreN = store_bytes();

            // `dst = a op b` again.
            UMin = int(UMin, any, two);        UMax = int(UMax, any, two);
            SMin = int(SMin, x, two);          SMax = int(SMax, x, two);
            UAddSat = int(UAddSat, x, two);    USubSat = int(USubSat, any, two);
            SAddSat = int(SAddSat, x, two);    SSubSat = int(SSubSat, x, two);
            // The same of `x` bits, and whether that overflows in `dst + 1`.
            UAddO = overflowing(Add, UAddO);   USubO = overflowing(Sub, USubO);   UMulO = overflowing(Mul, UMulO);
            SAddO = overflowing(Add, SAddO);   SSubO = overflowing(Sub, SSubO);   SMulO = overflowing(Mul, SMulO);
            // `dst = op a`.
            CtPop = int(CtPop, any, one);      Ctlz = int(Ctlz, x, one);          Cttz = int(Cttz, x, one);
            BSwap = int(BSwap, x, one);        BitReverse = int(BitReverse, x, one); Abs = int(Abs, x, one);
            // `dst = a:b` shifted.
            FShl = int(FShl, x, three);        FShr = int(FShr, x, three);

            // Floats: bits in, bits out.
            FAdd32 = float(f32, +);            FSub32 = float(f32, -);            FMul32 = float(f32, *);
            FDiv32 = float(f32, /);            FRem32 = float(f32, %);
            FAdd64 = float(f64, +);            FSub64 = float(f64, -);            FMul64 = float(f64, *);
            FDiv64 = float(f64, /);            FRem64 = float(f64, %);
            // `x` is the predicate.
            FCmp32 = float_compare(f32);       FCmp64 = float_compare(f64);
            // `x` bits on the side of the integer.
            F32ToS = float_to_int(f32, to_signed);  F32ToU = float_to_int(f32, to_unsigned);
            F64ToS = float_to_int(f64, to_signed);  F64ToU = float_to_int(f64, to_unsigned);
            SToF32 = int_to_float(signed, f32);     UToF32 = int_to_float(unsigned, f32);
            SToF64 = int_to_float(signed, f64);     UToF64 = int_to_float(unsigned, f64);
            F32ToF64 = float_to_float(f32, f64);    F64ToF32 = float_to_float(f64, f32);

            // A new object of `wide` bytes in `dst`, aligned to `1 << x`; its name is in the function's table.
            Alloca = alloca();
            // The same of `a` times `next.a` bytes.
            AllocaN = alloca_many();
            // Function `a` with the arguments of call `b`; results from `dst` on.
            Call = call();
            // The same, by the address in `a`.
            CallIndirect = call_indirect();
            // A function of the machine's own.
            CallNative = call_native();
            // `x` slots from `a` on; `b` counts instructions of the block.
            Ret = ret();
            // Nothing; `x` counts instructions of the block.
            RetVoid = ret_void();
            // Goes on unwinding with the exception in `a`.
            Resume = resume();
            Unreachable = unreachable();
            // Descriptor `a`.
            Slow = slow();
            // Counts `a` instructions, where a block is too long for its branch to.
            Count = count();
            // The second half of an instruction that takes two.
            More = more();
            // Whether `b` is too much to shift by.
            ShiftTooFar = int(ShiftTooFar, x, two);
        }
    };
}
pub(crate) use opcodes;
