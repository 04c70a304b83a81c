//! What becomes of a property, beside the function itself: functions that the tool finds by their symbols, or a
//! `#[test]`.
//!
//! It is decided here and not in the attribute macro, because a `cfg` that other crates do not know would be one that
//! their compiler complains about.

/// Two functions with symbols of their own: one calls the property with symbolic inputs, the other says what the
/// inputs are. The symbols say everything that the tool wants to know about the property.
#[cfg(refrain)]
#[doc(hidden)]
#[macro_export]
macro_rules! __property {
    ($name:ident $text:literal $call:ident $flags:literal $expected:tt [$($attribute:tt)*]) => {
        #[cfg(test)]
        const _: () = {
            #[unsafe(export_name = concat!("refrain:test:", $flags, ":", module_path!(), "::", $text))]
            fn explore() {
                $call(None);
            }

            #[unsafe(export_name = concat!("refrain:show:", $flags, ":", module_path!(), "::", $text))]
            fn show() {
                let mut call = $crate::property::Call::default();
                $call(Some(&mut call));
                call.print();
            }
        };
    };
}

/// A test on random inputs. It is in a module of the property's name, since the name of a function is taken.
#[cfg(not(refrain))]
#[doc(hidden)]
#[macro_export]
macro_rules! __property {
    ($name:ident $text:literal $call:ident $flags:literal $expected:tt [$($attribute:tt)*]) => {
        #[cfg(test)]
        mod $name {
            #[test]
            $($attribute)*
            fn random_inputs() {
                $crate::property::check(module_path!(), $flags, $expected, super::$call);
            }
        }
    };
}
