//! Values of Rust types from the bytes of inputs, as source.

use refrain_machine::Parameter;
use syn::{Expr, Lit, Type};

/// Why a value is not written.
pub enum No {
    /// There are no such values in safe Rust: the test is left out.
    Invalid(&'static str),
    /// The type is beyond this module: no test can be written.
    Type,
}

/// A value of a type. The bytes are those of the value or, where it is a reference or a pointer, of what it leads to.
pub fn value(ty: &Type, parameter: &Parameter, bytes: &[u8]) -> Result<String, No> {
    match ty {
        Type::Paren(inner) => value(&inner.elem, parameter, bytes),
        Type::Reference(reference) => {
            let is_mutable = reference.mutability.is_some();
            referred(&reference.elem, is_mutable, parameter, bytes)
        }
        Type::Ptr(pointer) => {
            if parameter.buffer.is_none() {
                return Ok(match pointer.mutability {
                    Some(_) => "std::ptr::null_mut()".into(),
                    None => "std::ptr::null()".into(),
                });
            }
            let bytes: Vec<String> = bytes.iter().map(u8::to_string).collect();
            let method = if pointer.mutability.is_some() {
                "as_mut_ptr"
            } else {
                "as_ptr"
            };
            // Aligned for anything.
            Ok(format!("Aligned([{}]).0.{method}().cast()", typed(&bytes)))
        }
        Type::Array(_) => fixed(ty, bytes),
        _ => scalar(ty, bytes),
    }
}

/// The bytes as elements, whose type the first of them has.
fn typed(bytes: &[String]) -> String {
    match bytes.split_first() {
        None => "0u8; 0".into(),
        Some((first, rest)) => {
            let rest: String = rest.iter().map(|byte| format!(", {byte}")).collect();
            format!("{first}u8{rest}")
        }
    }
}

fn referred(
    ty: &Type,
    is_mutable: bool,
    parameter: &Parameter,
    bytes: &[u8],
) -> Result<String, No> {
    let sign = if is_mutable { "&mut " } else { "&" };
    match ty {
        Type::Slice(slice) => {
            let size = size(&slice.elem).ok_or(No::Type)?;
            let count = parameter
                .slice
                .map_or(bytes.len() / size, |count| count as usize);
            let bytes = bytes.get(..count * size).ok_or(No::Type)?;
            if !is_mutable && name(&slice.elem).is_some_and(|name| name == "u8") {
                return Ok(format!("b\"{}\"", bytes.escape_ascii()));
            }
            Ok(format!("{sign}{}", elements(&slice.elem, size, bytes)?))
        }
        Type::Path(_) if name(ty).is_some_and(|name| name == "str") && !is_mutable => {
            let text = str::from_utf8(bytes).map_err(|_| No::Invalid("it is no UTF-8"))?;
            Ok(format!("{text:?}"))
        }
        _ => Ok(format!("{sign}{}", fixed(ty, bytes)?)),
    }
}

/// Of a type of fixed size.
fn fixed(ty: &Type, bytes: &[u8]) -> Result<String, No> {
    match ty {
        Type::Array(array) => {
            let size = size(&array.elem).ok_or(No::Type)?;
            let is_whole = length(&array.len).is_some_and(|count| count * size == bytes.len());
            if !is_whole {
                return Err(No::Type);
            }
            elements(&array.elem, size, bytes)
        }
        _ => scalar(ty, bytes),
    }
}

fn elements(ty: &Type, size: usize, bytes: &[u8]) -> Result<String, No> {
    let elements = bytes.chunks(size).map(|element| fixed(ty, element));
    let elements: Vec<String> = elements.collect::<Result<_, _>>()?;
    Ok(format!("[{}]", elements.join(", ")))
}

fn length(len: &Expr) -> Option<usize> {
    match len {
        Expr::Lit(literal) => match &literal.lit {
            Lit::Int(number) => number.base10_parse().ok(),
            _ => None,
        },
        _ => None,
    }
}

/// The last name of a type without parameters.
fn name(ty: &Type) -> Option<String> {
    let Type::Path(path) = ty else { return None };
    let last = path.path.segments.last()?;
    last.arguments.is_none().then(|| last.ident.to_string())
}

fn size(ty: &Type) -> Option<usize> {
    if let Type::Array(array) = ty {
        return Some(length(&array.len)? * size(&array.elem)?).filter(|&size| size > 0);
    }
    Some(match name(ty)?.as_str() {
        "u8" | "i8" | "bool" | "c_char" | "c_schar" | "c_uchar" => 1,
        "u16" | "i16" | "c_short" | "c_ushort" => 2,
        "u32" | "i32" | "f32" | "char" | "c_int" | "c_uint" | "c_float" => 4,
        "u64" | "i64" | "f64" | "usize" | "isize" | "c_long" | "c_ulong" | "c_longlong"
        | "c_ulonglong" | "c_double" => 8,
        "u128" | "i128" => 16,
        _ => return None,
    })
}

fn scalar(ty: &Type, bytes: &[u8]) -> Result<String, No> {
    let (Some(name), Some(size)) = (name(ty), size(ty)) else {
        return Err(No::Type);
    };
    if size != bytes.len() {
        return Err(No::Type);
    }
    let mut wide = [0; 16];
    wide[..size].copy_from_slice(bytes);
    let unsigned = u128::from_le_bytes(wide);
    let shift = 128 - 8 * size as u32;
    let signed = (unsigned << shift) as i128 >> shift;
    Ok(match name.as_str() {
        "bool" => (unsigned != 0).to_string(),
        "char" => {
            let c = char::from_u32(unsigned as u32);
            format!("{:?}", c.ok_or(No::Invalid("it is no character"))?)
        }
        "f32" | "c_float" => match f32::from_bits(unsigned as u32) {
            number if number.is_finite() => format!("{number:?}"),
            _ => format!("f32::from_bits({unsigned:#x})"),
        },
        "f64" | "c_double" => match f64::from_bits(unsigned as u64) {
            number if number.is_finite() => format!("{number:?}"),
            _ => format!("f64::from_bits({unsigned:#x})"),
        },
        name if name.starts_with('u') || name.starts_with("c_u") => unsigned.to_string(),
        _ => signed.to_string(),
    })
}
