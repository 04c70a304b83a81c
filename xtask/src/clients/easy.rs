//! easy-smt, the crate: it starts `z3 -smt2 -in`, and waits for each answer, `success` included.

use super::Guest;
use anyhow::{Context as _, Result, ensure};
use easy_smt::{Context, ContextBuilder, Response, SExpr};

pub fn test(guest: &Guest) -> Result<()> {
    bit_vectors(&mut start(guest)?)?;
    integers(&mut start(guest)?)?;
    cores(&mut start(guest)?)?;
    arrays(&mut start(guest)?)
}

fn start(guest: &Guest) -> Result<Context> {
    let mut builder = ContextBuilder::new();
    builder.with_z3_defaults().solver(guest.named("z3"));
    builder.build().context("easy-smt cannot start the solver")
}

fn expect(smt: &mut Context, response: Response, problem: &str) -> Result<()> {
    let answer = smt.check().with_context(|| problem.to_string())?;
    ensure!(answer == response, "{problem}: {answer:?}");
    Ok(())
}

/// The value of a term, as it is written.
fn value(smt: &mut Context, term: SExpr) -> Result<String> {
    let pairs = smt.get_value(vec![term])?;
    let &[(_, value)] = &pairs[..] else {
        anyhow::bail!("one value was asked for, there are {}", pairs.len());
    };
    Ok(smt.display(value).to_string())
}

fn hexadecimal(smt: &mut Context, term: SExpr) -> Result<u64> {
    let text = value(smt, term)?;
    let digits = text
        .strip_prefix("#x")
        .with_context(|| format!("{text} is not hexadecimal"))?;
    Ok(u64::from_str_radix(digits, 16)?)
}

fn bit_vectors(smt: &mut Context) -> Result<()> {
    smt.set_logic("QF_BV")?;
    let sort = smt.bit_vec_sort(smt.numeral(32));
    let (x, y) = (smt.declare_const("x", sort)?, smt.declare_const("y", sort)?);
    let product = smt.binary(32, 3599);
    smt.assert(smt.eq(smt.bvmul(x, y), product))?;
    let (one, limit) = (smt.binary(32, 1), smt.binary(32, 100));
    for factor in [x, y] {
        smt.assert(smt.bvult(one, factor))?;
        smt.assert(smt.bvult(factor, limit))?;
    }
    expect(smt, Response::Sat, "3599 has factors")?;
    let (a, b) = (hexadecimal(smt, x)?, hexadecimal(smt, y)?);
    ensure!(a * b == 3599, "{a} and {b} are no factors of 3599");
    smt.push()?;
    smt.assert(smt.not(smt.bvult(limit, smt.bvadd(x, y))))?;
    expect(smt, Response::Unsat, "no others")?;
    smt.pop()?;
    expect(smt, Response::Sat, "after the pop")
}

fn integers(smt: &mut Context) -> Result<()> {
    smt.set_logic("QF_LIA")?;
    let sort = smt.int_sort();
    let (x, y) = (
        smt.declare_const("x", sort)?,
        smt.declare_const("|y z|", sort)?,
    );
    let sum = smt.plus(smt.times(smt.numeral(7), x), smt.times(smt.numeral(5), y));
    smt.assert(smt.eq(sum, smt.numeral(1)))?;
    smt.assert(smt.gt(x, smt.numeral(0)))?;
    expect(smt, Response::Sat, "seven and five have no common divisor")?;
    let left = smt.get_value(vec![sum])?;
    ensure!(smt.get_i64(left[0].1) == Some(1), "the sum is one");
    let parity = smt.eq(smt.modulo(smt.plus(x, y), smt.numeral(2)), smt.numeral(0));
    let answer = smt.check_assuming([parity, smt.lt(x, smt.numeral(0))])?;
    ensure!(answer == Response::Unsat, "x is above zero: {answer:?}");
    let answer = smt.check_assuming([smt.not(parity)])?;
    ensure!(answer == Response::Sat, "an odd sum: {answer:?}");
    // 7x + 5y = 1 makes exactly one of them odd.
    let answer = smt.check_assuming([parity])?;
    ensure!(answer == Response::Unsat, "no even sum: {answer:?}");
    Ok(())
}

fn cores(smt: &mut Context) -> Result<()> {
    smt.set_option(":produce-unsat-cores", smt.true_())?;
    smt.set_logic("QF_UF")?;
    let sort = smt.bool_sort();
    let names = ["p", "q", "r"];
    let formulas = names
        .iter()
        .map(|&name| smt.declare_const(name, sort))
        .collect::<std::io::Result<Vec<_>>>()?;
    let [p, q, r] = formulas[..] else {
        unreachable!("three names");
    };
    for (name, formula) in [
        ("first", smt.or(p, q)),
        ("second", smt.not(p)),
        ("third", r),
        ("fourth", smt.not(q)),
    ] {
        let named = smt.named(name, formula);
        smt.assert(named)?;
    }
    expect(smt, Response::Unsat, "neither p nor q")?;
    let core = smt.get_unsat_core()?;
    let mut core: Vec<String> = smt
        .get_list(core)
        .context("a core is a list")?
        .iter()
        .map(|&name| smt.display(name).to_string())
        .collect();
    core.sort();
    ensure!(
        core == ["first", "fourth", "second"],
        "the core is {core:?}"
    );
    Ok(())
}

fn arrays(smt: &mut Context) -> Result<()> {
    smt.set_logic("QF_AUFBV")?;
    let byte = smt.bit_vec_sort(smt.numeral(8));
    let sort = smt.array_sort(byte, byte);
    let (a, i) = (smt.declare_const("a", sort)?, smt.declare_const("i", byte)?);
    let f = smt.declare_fun("f", vec![byte], byte)?;
    let (seven, zero) = (smt.binary(8, 7), smt.binary(8, 0));
    let stored = smt.store(a, i, seven);
    smt.assert(smt.eq(smt.select(stored, zero), smt.binary(8, 9)))?;
    let applied = |smt: &Context, arg| smt.list(vec![f, arg]);
    let (at_i, at_zero) = (applied(smt, i), applied(smt, zero));
    expect(smt, Response::Sat, "i may be another place")?;
    ensure!(hexadecimal(smt, i)? != 0, "i is another place");
    let first = smt.select(a, zero);
    ensure!(hexadecimal(smt, first)? == 9, "which is not written");
    smt.push()?;
    smt.assert(smt.eq(i, zero))?;
    expect(smt, Response::Unsat, "or the same")?;
    smt.pop()?;
    smt.assert(smt.not(smt.eq(at_i, at_zero)))?;
    expect(smt, Response::Sat, "a function of different places")
}
