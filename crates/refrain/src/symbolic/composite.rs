//! Values that are made of others: arrays, tuples, options, results, boxes.

use std::marker::PhantomData;

use super::{Symbolic, variant};
use crate::Name;

impl<T: Symbolic, const N: usize> Symbolic for [T; N] {
    fn symbolic(name: &Name) -> [T; N] {
        T::symbolic_array(name)
    }

    fn expression(&self, out: &mut String) {
        T::items_expression(self, out);
    }
}

impl<T: Symbolic> Symbolic for Option<T> {
    fn symbolic(name: &Name) -> Option<T> {
        bool::symbolic(&name.field("is_some")).then(|| T::symbolic(name))
    }

    fn expression(&self, out: &mut String) {
        match self {
            Some(value) => wrapped("Some", value, out),
            None => out.push_str("None"),
        }
    }
}

impl<T: Symbolic, E: Symbolic> Symbolic for Result<T, E> {
    fn symbolic(name: &Name) -> Result<T, E> {
        match variant(name, 2) {
            0 => Ok(T::symbolic(name)),
            _ => Err(E::symbolic(name)),
        }
    }

    fn expression(&self, out: &mut String) {
        match self {
            Ok(value) => wrapped("Ok", value, out),
            Err(error) => wrapped("Err", error, out),
        }
    }
}

impl<T: Symbolic> Symbolic for Box<T> {
    fn symbolic(name: &Name) -> Box<T> {
        Box::new(T::symbolic(name))
    }

    fn expression(&self, out: &mut String) {
        wrapped("Box::new", &**self, out);
    }
}

impl<T> Symbolic for PhantomData<T> {
    fn symbolic(_name: &Name) -> PhantomData<T> {
        PhantomData
    }

    fn expression(&self, out: &mut String) {
        out.push_str("std::marker::PhantomData");
    }
}

/// A value within a constructor.
fn wrapped<T: Symbolic>(constructor: &str, value: &T, out: &mut String) {
    out.push_str(constructor);
    out.push('(');
    value.expression(out);
    out.push(')');
}

macro_rules! tuples {
    ($($($part:ident $index:tt)+;)*) => { $(
        impl<$($part: Symbolic),+> Symbolic for ($($part,)+) {
            fn symbolic(name: &Name) -> Self {
                ($($part::symbolic(&name.field(stringify!($index))),)+)
            }

            fn expression(&self, out: &mut String) {
                out.push('(');
                $(
                    self.$index.expression(out);
                    out.push_str(", ");
                )+
                out.truncate(out.len() - 1);
                // One part alone keeps its comma.
                if out.ends_with(',') && count!($($part)+) > 1 {
                    out.pop();
                }
                out.push(')');
            }
        }
    )* };
}

macro_rules! count {
    ($($part:ident)+) => { [$(stringify!($part)),+].len() };
}

tuples! {
    A 0;
    A 0 B 1;
    A 0 B 1 C 2;
    A 0 B 1 C 2 D 3;
    A 0 B 1 C 2 D 3 E 4;
    A 0 B 1 C 2 D 3 E 4 F 5;
    A 0 B 1 C 2 D 3 E 4 F 5 G 6;
    A 0 B 1 C 2 D 3 E 4 F 5 G 6 H 7;
}
