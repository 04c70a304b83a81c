//! Properties that fail for one input each, which must be written as Rust.

#![forbid(unsafe_code)]
#![deny(warnings)]

#[cfg(test)]
mod tests {
    #[derive(Clone, Copy, PartialEq, refrain::Symbolic)]
    enum Kind {
        Plain,
        Pair(i8, bool),
        Named { letter: char, half: [u16; 2] },
    }

    #[derive(refrain::Symbolic)]
    struct Wrapper<T> {
        inner: T,
        #[refrain(max_len = 3)]
        name: String,
    }

    #[refrain::test]
    fn kinds(first: Kind, second: Kind, third: Kind) {
        let half = [0, 65535];
        if first == Kind::Plain
            && second == Kind::Pair(-128, true)
            && third == (Kind::Named { letter: '\'', half })
        {
            panic!("found");
        }
    }

    #[refrain::test]
    fn wrapped(value: Wrapper<Option<(u8, i64)>>, #[refrain(max_len = 3)] bytes: Vec<u8>) {
        if value.inner == Some((3, i64::MIN)) && value.name == "a\"\u{e9}" {
            assert_ne!(bytes, b"x\0y");
        }
    }

    #[refrain::test]
    fn bits(float: f32, code: [u8; 4], unit: (u8,)) {
        if float.to_bits() == 0x7fc0_0001 && code == *b"a\\\"~" {
            assert!(unit != (9,));
        }
    }

    #[refrain::test]
    fn asked(x: u8) {
        let y: u16 = refrain::any_named("y");
        let z: bool = refrain::any();
        assert!(!(x == 1 && y == 772 && z), "found {x} and {y}");
    }

    #[refrain::test]
    fn returns(x: u16) -> Result<(), String> {
        if x == 4711 {
            Err(format!("{x} it is"))
        } else {
            Ok(())
        }
    }

    #[refrain::test]
    #[should_panic(expected = "too large")]
    fn panics(x: u8) {
        if x > 200 {
            panic!("far too large");
        }
        if x != 100 {
            panic!("too large");
        }
    }

    #[refrain::test]
    #[ignore = "it takes long"]
    fn ignored(x: u8) {
        assert_eq!(x, x + 1);
    }

    include!("found.rs");
}
