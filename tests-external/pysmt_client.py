#!/usr/bin/env python3
"""Drives an SMT-LIB 2 solver process from PySMT, as a real client would.

Usage: pysmt_client.py COMMAND [ARG...]     for example: pysmt_client.py target/release/refrain smt

The command is registered as a generic solver. Every problem has a known answer; every model is
checked by substituting it into the formula and simplifying in PySMT, which shares no code with the
solver. The first difference ends the run with a traceback and a non-zero exit status.
"""

import signal
import sys
import time
import traceback

from pysmt.environment import reset_env
from pysmt.logics import QF_ABV, QF_AUFBV, QF_BV, QF_IDL, QF_LIA, QF_LRA, QF_UFBV, QF_UFLIA
from pysmt.shortcuts import (
    And, Array, Bool, BV, BVAdd, BVAnd, BVAShr, BVComp, BVConcat, BVExtract, BVLShl, BVLShr, BVMul, BVNeg, BVNot,
    BVOr, BVRol, BVRor, BVSDiv, BVSExt, BVSGE, BVSGT, BVSLE, BVSLT, BVSRem, BVSub, BVUDiv, BVUGE, BVUGT, BVULE,
    BVULT, BVURem, BVXor, BVZExt, Equals, EqualsOrIff, Function, GE, GT, Iff, Implies, Int, Ite, LE, LT, Minus, Not,
    NotEquals, Or, Plus, Real, Select, Solver, Store, Symbol, Times, Xor, get_env, get_model, is_sat, is_unsat, is_valid,
    to_smtlib,
)
from pysmt.smtlib.solver import SmtLibSolver
from pysmt.typing import BOOL, BV8, BV16, BV32, INT, REAL, BVType, ArrayType, FunctionType

NAME = "under-test"
LOGICS = [QF_BV, QF_ABV, QF_UFBV, QF_AUFBV, QF_IDL, QF_LIA, QF_LRA, QF_UFLIA]

# Seconds a problem may take; a solver that hangs must not hang the tests.
LIMIT = 60

TESTS = []


def test(function):
    TESTS.append(function)
    return function


def expect(condition, message):
    """Unlike `assert`, stays under `python -O`."""
    if not condition:
        raise AssertionError(message)


def values_to_the_end_of_the_line(self, read=SmtLibSolver._get_value_answer):
    """PySMT 0.9.6 leaves the end of the line after a value unread, and then takes it for an empty answer."""
    values = read(self)
    self.solver_stdout.readline()
    return values


SmtLibSolver._get_value_answer = values_to_the_end_of_the_line


def solve_assuming(s, *literals):
    """check-sat-assuming, which PySMT's generic solver does not offer."""
    s.solver_stdin.write(f"(check-sat-assuming ({' '.join(to_smtlib(literal) for literal in literals)}))\n")
    s.solver_stdin.flush()
    answer = s._get_answer()
    expect(answer in ("sat", "unsat"), f"the answer is {answer}")
    return answer == "sat"


def solver(logic):
    return Solver(name=NAME, logic=logic)


def substituted(formula, values):
    """The formula with the values in place of its symbols, simplified: a constant if all are given."""
    return formula.substitute(values).simplify()


def check_sat_with_model(logic, formula):
    """The formula is sat, and the values of its symbols, asked for one by one, satisfy it."""
    with solver(logic) as s:
        s.add_assertion(formula)
        expect(s.solve(), f"expected sat: {formula.serialize()}")
        symbols = [symbol for symbol in formula.get_free_variables() if not symbol.symbol_type().is_function_type()]
        values = {symbol: s.get_value(symbol) for symbol in symbols}
        for symbol, value in values.items():
            expect(value.is_constant() or symbol.symbol_type().is_array_type(), f"{symbol} has the value {value}")
        truth = substituted(formula, values)
        expect(truth.is_true(), f"the model {values} gives {truth} for {formula.serialize()}")
        return values


def check_unsat(logic, formula):
    with solver(logic) as s:
        s.add_assertion(formula)
        expect(not s.solve(), f"expected unsat: {formula.serialize()}")


def bit_vectors(*names, of=BV8):
    return [Symbol(name, of) for name in names]


@test
def linear_equation():
    x, y = bit_vectors("x", "y", of=BV32)
    formula = And(Equals(BVAdd(x, y), BV(1000, 32)), Equals(BVSub(x, y), BV(10, 32)), BVULT(y, x))
    values = check_sat_with_model(QF_BV, formula)
    expect((values[x].constant_value() + values[y].constant_value()) % 2**32 == 1000, "x + y = 1000")


@test
def factors():
    x, y = bit_vectors("x", "y", of=BV16)
    product = BVMul(BVZExt(x, 16), BVZExt(y, 16))
    formula = And(Equals(product, BV(59 * 61, 32)), BVUGT(x, BV(1, 16)), BVULE(x, y))
    values = check_sat_with_model(QF_BV, formula)
    expect(values[x].constant_value() * values[y].constant_value() == 59 * 61, "59 * 61")


@test
def prime_has_no_factors():
    x, y = bit_vectors("x", "y")
    product = BVMul(BVZExt(x, 8), BVZExt(y, 8))
    check_unsat(QF_BV, And(Equals(product, BV(251, 16)), BVUGT(x, BV(1, 8)), BVUGT(y, BV(1, 8))))


@test
def division_by_zero():
    x, = bit_vectors("x")
    zero = BV(0, 8)
    check_unsat(QF_BV, NotEquals(BVUDiv(x, zero), BV(255, 8)))
    check_unsat(QF_BV, NotEquals(BVURem(x, zero), x))
    check_unsat(QF_BV, And(BVSGE(x, zero), NotEquals(BVSDiv(x, zero), BV(255, 8))))
    check_unsat(QF_BV, And(BVSLT(x, zero), NotEquals(BVSDiv(x, zero), BV(1, 8))))
    check_unsat(QF_BV, NotEquals(BVSRem(x, zero), x))


@test
def signed_corner():
    x, = bit_vectors("x")
    values = check_sat_with_model(QF_BV, And(Equals(BVNeg(x), x), NotEquals(x, BV(0, 8))))
    expect(values[x].constant_value() == 128, "only -128 is its own negation")
    expect(values[x].bv_signed_value() == -128, "signed value")


@test
def shifts_and_rotations():
    x, y = bit_vectors("x", "y", of=BV16)
    check_unsat(QF_BV, And(BVUGE(y, BV(16, 16)), NotEquals(BVLShl(x, y), BV(0, 16))))
    check_unsat(QF_BV, And(BVSLT(x, BV(0, 16)), NotEquals(BVAShr(x, BV(100, 16)), BV(0xFFFF, 16))))
    check_unsat(QF_BV, NotEquals(BVRol(x, 5), BVRor(x, 11)))
    check_sat_with_model(QF_BV, And(Equals(BVRol(x, 4), BVLShr(x, BV(4, 16))), NotEquals(x, BV(0, 16))))


@test
def concat_and_extract():
    x, y = bit_vectors("x", "y")
    word = BVConcat(x, y)
    check_unsat(QF_BV, NotEquals(BVExtract(word, 8, 15), x))
    check_sat_with_model(QF_BV, And(Equals(word, BV(0xBEEF, 16)), BVSLT(BVSExt(x, 8), BV(0, 16))))
    check_sat_with_model(QF_BV, And(Equals(BVComp(x, y), BV(1, 1)), Equals(BVXor(x, BVNot(y)), BV(0xFF, 8))))


@test
def de_morgan_is_valid():
    x, y = bit_vectors("x", "y", of=BV32)
    law = Equals(BVNot(BVAnd(x, y)), BVOr(BVNot(x), BVNot(y)))
    expect(is_valid(law, solver_name=NAME, logic=QF_BV), "De Morgan")
    expect(is_unsat(Not(law), solver_name=NAME, logic=QF_BV), "the negation of De Morgan")
    wrong = Equals(BVNot(BVAnd(x, y)), BVOr(BVNot(x), y))
    expect(not is_valid(wrong, solver_name=NAME, logic=QF_BV), "not De Morgan")
    expect(is_sat(wrong, solver_name=NAME, logic=QF_BV), "not De Morgan, but satisfiable")


@test
def get_model_shortcut():
    x, y = bit_vectors("x", "y")
    formula = And(BVSGT(x, y), BVULT(x, y), Equals(BVAnd(x, BV(1, 8)), BV(1, 8)))
    model = get_model(formula, solver_name=NAME, logic=QF_BV)
    expect(model is not None, "satisfiable")
    expect(model.satisfies(formula), f"the model {model} does not satisfy {formula.serialize()}")
    none = get_model(And(BVULT(x, y), BVULT(y, x)), solver_name=NAME, logic=QF_BV)
    expect(none is None, "a cycle of less-thans has no model")


@test
def python_values():
    p = Symbol("p", BOOL)
    x, = bit_vectors("x")
    with solver(QF_BV) as s:
        s.add_assertion(And(p, Equals(BVMul(x, BV(3, 8)), BV(33, 8))))
        expect(s.solve(), "3 is odd, so it divides everything")
        expect(s.get_py_value(p) is True, "p")
        expect(s.get_py_value(x) == 11, "x")
        expect(s.get_py_value(BVAdd(x, BV(1, 8))) == 12, "the value of a term")
        expect(s.get_py_values([x, p]) == {x: 11, p: True}, "several values")


@test
def incremental_stack():
    x, y = bit_vectors("x", "y", of=BV16)
    with solver(QF_BV) as s:
        s.add_assertion(BVULT(x, y))
        expect(s.solve(), "level 0")
        s.push()
        s.add_assertion(BVULT(y, BV(2, 16)))
        expect(s.solve(), "level 1")
        expect(s.get_py_value(x) == 0 and s.get_py_value(y) == 1, "the only solution")
        s.push()
        s.add_assertion(BVUGT(x, BV(0, 16)))
        expect(not s.solve(), "level 2")
        s.pop()
        expect(s.solve(), "back on level 1")
        s.push(3)
        s.add_assertion(Equals(x, y))
        expect(not s.solve(), "level 4")
        s.pop(4)
        s.add_assertion(Equals(x, BV(7, 16)))
        expect(s.solve(), "level 0 again")
        expect(s.get_py_value(x) == 7 and s.get_py_value(y) > 7, "x = 7 < y")


@test
def long_incremental_session():
    """A path that is followed and left a few hundred times, as a symbolic executor would."""
    data = Symbol("data", ArrayType(BV32, BV8))
    with solver(QF_ABV) as s:
        for step in range(150):
            byte = Select(data, BV(step % 8, 32))
            s.push()
            s.add_assertion(BVULT(byte, BV(200 - step, 8)))
            expect(s.solve(), f"step {step}")
            s.push()
            s.add_assertion(BVUGE(byte, BV(200 - step, 8)))
            expect(not s.solve(), f"the other way at step {step}")
            s.pop()
        s.pop(150)
        expect(s.solve(), "the empty stack")


@test
def assumptions():
    p, q = Symbol("p", BOOL), Symbol("q", BOOL)
    x, = bit_vectors("x")
    with solver(QF_BV) as s:
        s.add_assertion(Implies(p, BVULT(x, BV(10, 8))))
        s.add_assertion(Implies(q, BVUGT(x, BV(20, 8))))
        expect(solve_assuming(s, p), "p alone")
        expect(s.get_py_value(x) < 10, "p holds")
        expect(solve_assuming(s, q), "q alone")
        expect(s.get_py_value(x) > 20, "q holds")
        expect(not solve_assuming(s, p, q), "both")
        expect(solve_assuming(s, Not(p), q), "a negative literal")
        expect(s.solve(), "assumptions do not stay")
        expect(not solve_assuming(s, p, Equals(x, BV(15, 8))), "a term as an assumption")
        expect(solve_assuming(s, Equals(x, BV(15, 8))), "the term alone")
        expect(s.get_py_value(x) == 15, "x = 15")


@test
def array_reads_over_writes():
    a = Symbol("a", ArrayType(BV8, BV8))
    i, j, v = bit_vectors("i", "j", "v")
    stored = Store(a, i, v)
    check_unsat(QF_ABV, And(Equals(i, j), NotEquals(Select(stored, j), v)))
    check_unsat(QF_ABV, And(NotEquals(i, j), NotEquals(Select(stored, j), Select(a, j))))
    with solver(QF_ABV) as s:
        s.add_assertion(NotEquals(Select(stored, j), v))
        expect(s.solve(), "j may be another place")
        expect(s.get_py_value(i) != s.get_py_value(j), "i and j differ")
        expect(s.get_value(Select(stored, j)) == s.get_value(Select(a, j)), "a read past the write")


@test
def array_extensionality():
    a, b = Symbol("a", ArrayType(BV8, BV8)), Symbol("b", ArrayType(BV8, BV8))
    i, j = bit_vectors("i", "j")
    swapped = Store(Store(a, i, Select(a, j)), j, Select(a, i))
    back = Store(Store(swapped, i, Select(swapped, j)), j, Select(swapped, i))
    check_unsat(QF_ABV, Not(Equals(back, a)))
    with solver(QF_ABV) as s:
        s.add_assertion(Not(Equals(a, b)))
        s.add_assertion(Equals(Select(a, i), Select(b, i)))
        expect(s.solve(), "they may differ elsewhere")
        s.add_assertion(Equals(Store(a, i, BV(0, 8)), Store(b, i, BV(0, 8))))
        expect(not s.solve(), "not if they are equal everywhere else")


@test
def array_value_from_the_solver():
    a = Symbol("a", ArrayType(BV8, BV8))
    formula = And(*[Equals(Select(a, BV(place, 8)), BV(3 * place, 8)) for place in range(5)])
    with solver(QF_ABV) as s:
        s.add_assertion(formula)
        expect(s.solve(), "a table of five")
        value = s.get_value(a)
        expect(value.is_array_value() or value.is_store(), f"an array value, not {value}")
        for place in range(5):
            read = substituted(Select(a, BV(place, 8)), {a: value})
            expect(read == BV(3 * place, 8), f"element {place} of {value.serialize()} is {read}")


@test
def table_lookup():
    """A constant table, read at an index that an input gives."""
    table = Symbol("table", ArrayType(BV32, BV8))
    x, = bit_vectors("x")
    squares = And(*[Equals(Select(table, BV(place, 32)), BV(place * place % 256, 8)) for place in range(16)])
    index = BVZExt(BVAnd(x, BV(15, 8)), 24)
    with solver(QF_ABV) as s:
        s.add_assertion(squares)
        s.push()
        s.add_assertion(Equals(Select(table, index), BV(81, 8)))
        expect(s.solve(), "81 is a square")
        expect(s.get_py_value(x) % 16 == 9, "9 * 9 = 81")
        s.add_assertion(NotEquals(BVAnd(x, BV(15, 8)), BV(9, 8)))
        expect(not s.solve(), "of one number below 16")
        s.pop()
        s.add_assertion(Equals(Select(table, index), BV(80, 8)))
        expect(not s.solve(), "80 is not a square")


@test
def uninterpreted_functions():
    f = Symbol("f", FunctionType(BV8, [BV8]))
    x, = bit_vectors("x")

    def times(count):
        term = x
        for _ in range(count):
            term = Function(f, [term])
        return term

    check_unsat(QF_UFBV, And(Equals(times(3), x), Equals(times(5), x), NotEquals(times(1), x)))
    with solver(QF_UFBV) as s:
        s.add_assertion(And(Equals(times(3), x), NotEquals(times(1), x)))
        expect(s.solve(), "a cycle of three")
        orbit = [s.get_py_value(times(count)) for count in range(4)]
        expect(orbit[0] == orbit[3] and len(set(orbit[:3])) == 3, f"the orbit is {orbit}")


@test
def arrays_with_functions_and_booleans():
    a = Symbol("a", ArrayType(BV8, BV16))
    good = Symbol("good", FunctionType(BOOL, [BV16, BOOL]))
    p = Symbol("p", BOOL)
    i, j = bit_vectors("i", "j")
    formula = And(
        Function(good, [Select(a, i), p]),
        Not(Function(good, [Select(a, j), p])),
        Iff(p, BVULT(i, j)),
        Xor(p, Equals(Select(a, i), BV(5, 16))),
    )
    with solver(QF_AUFBV) as s:
        s.add_assertion(formula)
        expect(s.solve(), "satisfiable")
        expect(s.get_py_value(i) != s.get_py_value(j), "i and j differ")
        expect(s.get_py_value(Select(a, i)) != s.get_py_value(Select(a, j)), "so do the elements")
        expect(s.get_py_value(p) == (s.get_py_value(i) < s.get_py_value(j)), "p")
        s.add_assertion(Equals(i, j))
        expect(not s.solve(), "the same place is both good and bad")


@test
def if_then_else():
    p = Symbol("p", BOOL)
    x, y = bit_vectors("x", "y", of=BV32)
    largest = Ite(BVSLT(x, y), y, x)
    check_unsat(QF_BV, Or(BVSLT(largest, x), BVSLT(largest, y)))
    check_sat_with_model(QF_BV, And(Equals(Ite(p, x, y), BV(3, 32)), Equals(Ite(p, y, x), BV(4, 32)), Not(p)))


@test
def wide_vectors():
    wide = BVType(128)
    x, y = Symbol("x128", wide), Symbol("y128", wide)
    values = check_sat_with_model(QF_BV, And(Equals(BVAdd(x, y), BV(0, 128)), Equals(y, BV(1, 128))))
    expect(values[x].constant_value() == 2**128 - 1, "-1")
    check_unsat(QF_BV, And(BVULE(x, y), BVULE(y, x), NotEquals(x, y)))


@test
def several_solvers_at_once():
    x, = bit_vectors("x")
    with solver(QF_BV) as one, solver(QF_BV) as two, solver(QF_AUFBV) as three:
        one.add_assertion(BVULT(x, BV(5, 8)))
        two.add_assertion(BVUGT(x, BV(250, 8)))
        three.add_assertion(And(BVULT(x, BV(5, 8)), BVUGT(x, BV(250, 8))))
        expect(one.solve() and two.solve() and not three.solve(), "three solvers, three stacks")
        expect(one.get_py_value(x) < 5 and two.get_py_value(x) > 250, "each with a model of its own")
        one.add_assertion(EqualsOrIff(x, two.get_value(x)))
        expect(not one.solve(), "the other's value does not fit")
        expect(two.solve(), "and the other does not notice")


@test
def all_solutions_by_blocking():
    x, = bit_vectors("x")
    found = set()
    with solver(QF_BV) as s:
        s.add_assertion(Equals(BVURem(x, BV(37, 8)), BV(5, 8)))
        while s.solve():
            value = s.get_value(x)
            expect(value.constant_value() not in found, f"{value} was excluded")
            found.add(value.constant_value())
            s.add_assertion(NotEquals(x, value))
    expect(found == set(range(5, 256, 37)), f"found {sorted(found)}")


@test
def reset_assertions():
    x, = bit_vectors("x")
    with solver(QF_BV) as s:
        s.add_assertion(BVULT(x, BV(0, 8)))
        expect(not s.solve(), "nothing is below zero")
    with solver(QF_BV) as s:
        s.add_assertion(Bool(True))
        expect(s.solve(), "true")
        s.add_assertion(Bool(False))
        expect(not s.solve(), "false")


@test
def constant_arrays():
    a = Symbol("a", ArrayType(BV8, BV8))
    i, = bit_vectors("i")
    zeros = Array(BV8, BV(0, 8))
    check_unsat(QF_ABV, And(Equals(a, Store(zeros, BV(3, 8), BV(7, 8))), BVUGT(Select(a, i), BV(0, 8)),
                            NotEquals(i, BV(3, 8))))


@test
def integers():
    x, y = Symbol("xi", INT), Symbol("yi", INT)
    formula = And(GE(Plus(x, y), Int(2)), GE(Minus(Times(Int(2), y), x), Int(1)), GE(Minus(Times(Int(2), x), y), Int(0)),
                  LT(Plus(x, Times(Int(3), y)), Int(6)))
    check_sat_with_model(QF_LIA, formula)
    check_unsat(QF_LIA, And(formula, LE(x, Int(0))))
    huge = 10**40
    values = check_sat_with_model(QF_LIA, And(Equals(Minus(x, y), Int(-huge)), GT(y, Int(huge))))
    expect(values[x].constant_value() - values[y].constant_value() == -huge, "numbers of any size")


@test
def parity():
    x, y, z = (Symbol(name, INT) for name in ("xp", "yp", "zp"))
    check_unsat(QF_LIA, And(Equals(Plus(x, y), Times(Int(2), z)), Equals(Minus(x, y), Int(7))))


@test
def differences():
    times = [Symbol(f"t{i}", INT) for i in range(6)]
    chain = And(*(GE(Minus(b, a), Int(3)) for a, b in zip(times, times[1:])))
    check_sat_with_model(QF_IDL, And(chain, LE(Minus(times[5], times[0]), Int(15))))
    check_unsat(QF_IDL, And(chain, LE(Minus(times[5], times[0]), Int(14))))


@test
def reals():
    x, y = Symbol("xr", REAL), Symbol("yr", REAL)
    formula = And(LT(x, y), GT(Times(Real(3), x), Real(1)), LT(Times(Real(2), y), Real(1)), NotEquals(x, Real((2, 5))))
    check_sat_with_model(QF_LRA, formula)
    check_unsat(QF_LRA, And(formula, GE(Plus(x, y), Real(1))))


@test
def integer_stack():
    x, y = Symbol("xs", INT), Symbol("ys", INT)
    with solver(QF_LIA) as s:
        s.add_assertion(And(GE(x, Int(0)), LE(x, Int(10))))
        for limit in range(10, -3, -1):
            s.push()
            s.add_assertion(LE(Plus(x, Times(Int(2), y)), Int(limit)))
            s.add_assertion(GE(y, Int(0)))
            expect(s.solve() == (limit >= 0), f"limit {limit}")
            s.pop()


@test
def functions_of_integers():
    f = Symbol("fi", FunctionType(INT, [INT]))
    x, y = Symbol("xf", INT), Symbol("yf", INT)
    same = And(LE(x, y), LE(y, x))
    check_unsat(QF_UFLIA, And(same, NotEquals(Function(f, [x]), Function(f, [y]))))
    with solver(QF_UFLIA) as s:
        s.add_assertion(And(LT(x, y), NotEquals(Function(f, [x]), Function(f, [y]))))
        expect(s.solve(), "different arguments may differ")


def too_late(_signal, _frame):
    raise TimeoutError(f"no answer in {LIMIT} s")


def main():
    command = sys.argv[1:]
    if not command:
        sys.exit(__doc__)
    failures = 0
    signal.signal(signal.SIGALRM, too_late)
    for function in TESTS:
        # Symbols of one problem do not meet those of another.
        reset_env()
        # The reader of answers needs it for applications of functions.
        get_env().enable_infix_notation = True
        get_env().factory.add_generic_solver(NAME, command, LOGICS)
        start = time.monotonic()
        try:
            signal.alarm(LIMIT)
            function()
        except Exception as error:  # every kind of failure counts, and the rest still runs
            signal.alarm(0)
            failures += 1
            traceback.print_exc()
            print(f"FAILED {function.__name__}: {error}", flush=True)
        else:
            signal.alarm(0)
            print(f"ok     {function.__name__} ({time.monotonic() - start:.2f} s)", flush=True)
    print(f"pysmt: {len(TESTS) - failures} passed, {failures} failed")
    sys.exit(1 if failures else 0)


if __name__ == "__main__":
    main()
