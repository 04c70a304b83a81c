//! KLEE's `.ktest` format: inputs by name, numbers with the highest byte first.

use refrain_machine::InputValue;

use crate::Test;

/// What such a file holds.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct KTest {
    pub args: Vec<Vec<u8>>,
    /// How many symbolic arguments KLEE's environment was asked for, and of what length.
    pub symbolic_args: u32,
    pub symbolic_arg_len: u32,
    pub objects: Vec<InputValue>,
}

const VERSION: u32 = 3;

impl KTest {
    pub fn encode(&self) -> Vec<u8> {
        let mut bytes = Vec::new();
        encode(
            &mut bytes,
            &self.args,
            self.symbolic_args,
            self.symbolic_arg_len,
            &self.objects,
        );
        bytes
    }

    /// Reads versions 1 to 3. The error says what is wrong.
    pub fn decode(bytes: &[u8]) -> Result<KTest, String> {
        let mut reader = Reader { bytes, at: 0 };
        let magic = reader.take(5, "its magic")?;
        if magic != b"KTEST" && magic != b"BOUT\n" {
            return Err("it starts with something else".into());
        }
        let version = reader.number("its version")?;
        if version == 0 || version > VERSION {
            return Err(format!("version {version} is not known"));
        }
        let count = reader.number("the number of arguments")?;
        let mut args = Vec::new();
        for _ in 0..count {
            args.push(reader.block("an argument")?.to_vec());
        }
        let (mut symbolic_args, mut symbolic_arg_len) = (0, 0);
        if version >= 2 {
            symbolic_args = reader.number("the number of symbolic arguments")?;
            symbolic_arg_len = reader.number("the length of symbolic arguments")?;
        }
        let count = reader.number("the number of objects")?;
        let mut objects = Vec::new();
        for _ in 0..count {
            let name = reader.block("the name of an object")?;
            let bytes = reader.block("an object")?;
            let name = String::from_utf8_lossy(name);
            objects.push(InputValue::object(name, bytes));
        }
        if reader.at != bytes.len() {
            return Err(format!("something follows after byte {}", reader.at));
        }
        Ok(KTest {
            args,
            symbolic_args,
            symbolic_arg_len,
            objects,
        })
    }
}

impl Test {
    /// The test in KLEE's format: names and bytes of its inputs, and the arguments.
    pub fn to_ktest(&self) -> Vec<u8> {
        let mut bytes = Vec::new();
        encode(&mut bytes, &self.args, 0, 0, &self.inputs);
        bytes
    }

    /// The same with what the program makes itself only, for a process that has the rest as its world.
    pub fn objects_to_ktest(&self) -> Vec<u8> {
        let objects = self
            .inputs
            .iter()
            .filter(|input| input.role.is_of_program());
        let objects: Vec<InputValue> = objects.cloned().collect();
        let mut bytes = Vec::new();
        encode(&mut bytes, &self.args, 0, 0, &objects);
        bytes
    }
}

fn encode(bytes: &mut Vec<u8>, args: &[Vec<u8>], many: u32, len: u32, objects: &[InputValue]) {
    let number = |bytes: &mut Vec<u8>, number: u32| bytes.extend(number.to_be_bytes());
    // No object of 4 GB can be symbolic byte by byte.
    let block = |bytes: &mut Vec<u8>, block: &[u8]| {
        number(bytes, block.len() as u32);
        bytes.extend_from_slice(block);
    };
    bytes.extend_from_slice(b"KTEST");
    number(bytes, VERSION);
    number(bytes, args.len() as u32);
    for arg in args {
        block(bytes, arg);
    }
    number(bytes, many);
    number(bytes, len);
    number(bytes, objects.len() as u32);
    for object in objects {
        block(bytes, object.name.as_bytes());
        block(bytes, &object.bytes);
    }
}

struct Reader<'a> {
    bytes: &'a [u8],
    at: usize,
}

impl<'a> Reader<'a> {
    fn take(&mut self, len: usize, what: &str) -> Result<&'a [u8], String> {
        let rest = &self.bytes[self.at..];
        let taken = rest
            .get(..len)
            .ok_or_else(|| format!("it ends within {what}, after {} bytes", self.bytes.len()))?;
        self.at += len;
        Ok(taken)
    }

    fn number(&mut self, what: &str) -> Result<u32, String> {
        let bytes = self.take(4, what)?;
        Ok(bytes
            .iter()
            .fold(0, |number, &byte| number << 8 | u32::from(byte)))
    }

    fn block(&mut self, what: &str) -> Result<&'a [u8], String> {
        let len = self.number(what)?;
        self.take(len as usize, what)
    }
}
