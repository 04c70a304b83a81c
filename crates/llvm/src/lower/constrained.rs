//! Calculations of code that may look at floating-point exceptions (`llvm.experimental.constrained`): the same as the
//! plain ones, but compilers do not execute them where the program does not.

use super::intrinsic::{least_arguments, math_function};
use super::shape::{Class, Leaf, Shape};
use super::{Lowered, Lowerer};
use crate::ir::{BinaryOp, Call, CastOp, LocalId, Operand, Type, Wrap};

impl Lowerer<'_> {
    pub(super) fn constrained(
        &mut self,
        result: Option<LocalId>,
        operation: &str,
        call: &Call,
    ) -> Lowered<()> {
        let Some(local) = result else { return Ok(()) };
        // Rounding, exceptions and the predicate come last.
        let is_value = |arg: &&Operand| {
            let ty = self.module.types.get(self.operand_type(**arg));
            !matches!(ty, Type::Metadata)
        };
        let args: Vec<Operand> = call.args.iter().take_while(is_value).copied().collect();
        let mut shapes = Vec::new();
        for &arg in &args {
            shapes.push(self.operand_shape(arg)?);
        }
        let to = self.shape(self.type_of(local))?;
        match (&args[..], binary(operation), cast(operation)) {
            (&[a, b], Some(op), _) if are_floats(&to) && all_like(&shapes, &to) => {
                self.binary(result, op, a, b, Wrap::default())
            }
            (&[a], _, Some(op)) if converts(op, &shapes[0], &to) => self.cast(result, op, a),
            (&[a, b], ..) if matches!(operation, "fcmp" | "fcmps") => {
                let is_sound = are_floats(&shapes[0])
                    && all_like(&shapes[1..], &shapes[0])
                    && to.leaves.len() == shapes[0].leaves.len()
                    && to.leaves.iter().all(|leaf| leaf.bits == 1);
                match call.predicate {
                    Some(predicate) if is_sound => self.float_compare(result, predicate, a, b),
                    _ => Err(format!("a constrained {operation} of another type")),
                }
            }
            _ if (operation == "fmuladd" || math_function(operation).is_some())
                && args.len() >= least_arguments(operation) =>
            {
                self.known_intrinsic(result, &format!("llvm.{operation}"), operation, &args)
            }
            _ => Err(format!(
                "the intrinsic llvm.experimental.constrained.{operation}"
            )),
        }
    }
}

fn are_floats(shape: &Shape) -> bool {
    let is_float = |leaf: &Leaf| matches!(leaf.class, Class::Float(_));
    shape.leaves.iter().all(is_float)
}

fn all_like(shapes: &[Shape], like: &Shape) -> bool {
    let is_like = |shape: &Shape| {
        let mut pairs = shape.leaves.iter().zip(&like.leaves);
        shape.leaves.len() == like.leaves.len() && pairs.all(|(a, b)| a.class == b.class)
    };
    shapes.iter().all(is_like)
}

/// Whether a conversion is one between these types.
fn converts(op: CastOp, from: &Shape, to: &Shape) -> bool {
    let is_int = |shape: &Shape| shape.leaves.iter().all(|leaf| leaf.class == Class::Int);
    from.leaves.len() == to.leaves.len()
        && match op {
            CastOp::FpToSi | CastOp::FpToUi => are_floats(from) && is_int(to),
            CastOp::SiToFp | CastOp::UiToFp => is_int(from) && are_floats(to),
            _ => are_floats(from) && are_floats(to),
        }
}

fn binary(operation: &str) -> Option<BinaryOp> {
    Some(match operation {
        "fadd" => BinaryOp::FAdd,
        "fsub" => BinaryOp::FSub,
        "fmul" => BinaryOp::FMul,
        "fdiv" => BinaryOp::FDiv,
        "frem" => BinaryOp::FRem,
        _ => return None,
    })
}

fn cast(operation: &str) -> Option<CastOp> {
    Some(match operation {
        "fptosi" => CastOp::FpToSi,
        "fptoui" => CastOp::FpToUi,
        "sitofp" => CastOp::SiToFp,
        "uitofp" => CastOp::UiToFp,
        "fptrunc" => CastOp::FpTrunc,
        "fpext" => CastOp::FpExt,
        _ => return None,
    })
}
