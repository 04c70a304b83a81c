//! What went wrong, and where: errors with the program's own names.

use refrain_machine::{Access, End, ErrorKind, Object, Place, Unsupported};

use super::{Halt, Machine, State};
use crate::ir::{LocId, SymbolKind};
use crate::memory::{Fault, Kind, ObjectInfo, Site};
use crate::ops::ArithmeticError;

impl Machine {
    /// The places that a point of a function stands for: itself, and what it was inlined into.
    pub(super) fn places(&self, site: Site) -> Vec<Place> {
        let Some(function) = self.linked.functions.get(site.function as usize) else {
            return Vec::new();
        };
        let mut own = Place {
            function: demangle(&function.name),
            ..Place::default()
        };
        let Some(module) = self.linked.program.modules.get(function.module) else {
            return vec![own];
        };
        // Code that comes from no line is at least in a function that starts at one.
        if let SymbolKind::Function(ir) = &module.symbols[function.symbol.0 as usize].kind
            && let Some(scope) = ir
                .debug
                .and_then(|scope| module.debug.scopes.get(scope.0 as usize))
        {
            own.file = scope.file.clone();
            own.line = scope.line;
        }
        let Ok(code) = self.linked.code(site.function) else {
            return vec![own];
        };
        let mut places = Vec::new();
        let mut loc = code.loc(site.pc);
        while loc != LocId(0) && places.len() < 64 {
            let location = module.debug.locations[loc.0 as usize];
            let Some(scope) = location
                .scope
                .and_then(|scope| module.debug.scopes.get(scope.0 as usize))
            else {
                break;
            };
            let name = if scope.linkage_name.is_empty() {
                &scope.name
            } else {
                &scope.linkage_name
            };
            places.push(Place {
                function: demangle(name),
                file: scope.file.clone(),
                line: location.line,
                column: location.column,
            });
            loc = location.inlined_at;
        }
        if places.is_empty() { vec![own] } else { places }
    }

    /// The stack, innermost first.
    pub fn trace(&self, state: &State) -> Vec<Place> {
        // A stack that overflowed is the same thing over and over.
        let sites = state.stack().take(256);
        sites.flat_map(|site| self.places(site)).collect()
    }

    pub(crate) fn error(&self, state: &State, kind: ErrorKind, message: impl Into<String>) -> Halt {
        self.error_on(state, kind, message.into(), None, None)
    }

    fn error_on(
        &self,
        state: &State,
        kind: ErrorKind,
        message: String,
        object: Option<Object>,
        access: Option<(u64, u64)>,
    ) -> Halt {
        Halt::End(End::Error(Box::new(refrain_machine::Fault {
            kind,
            message,
            stack: self.trace(state),
            object,
            access: access.map(|(address, bytes)| Access { address, bytes }),
            notes: Vec::new(),
        })))
    }

    pub(crate) fn unsupported(&self, state: &State, what: impl Into<String>) -> Halt {
        Halt::End(End::Unsupported(Box::new(Unsupported {
            what: what.into(),
            missing_name: None,
            stack: self.trace(state),
        })))
    }

    pub(super) fn missing_function(&self, state: &State, name: &str) -> Halt {
        self.missing(state, "a call of", name)
    }

    /// Something that the program uses and nobody provides.
    fn missing(&self, state: &State, use_of: &str, name: &str) -> Halt {
        let name = demangle(name);
        Halt::End(End::Unsupported(Box::new(Unsupported {
            what: format!(
                "{use_of} {name}, which neither the program nor the runtime defines (more files of the program: --with)"
            ),
            missing_name: Some(name),
            stack: self.trace(state),
        })))
    }

    #[cold]
    pub(super) fn arithmetic_error(&self, state: &State, error: ArithmeticError) -> Halt {
        let kind = match error {
            ArithmeticError::DivisionByZero => ErrorKind::DivisionByZero,
            ArithmeticError::DivisionOverflow => ErrorKind::DivisionOverflow,
            ArithmeticError::SignedOverflow => ErrorKind::SignedOverflow,
            ArithmeticError::ShiftTooFar => ErrorKind::ShiftTooFar,
        };
        self.error(state, kind, "")
    }

    pub(super) fn unreachable(&self, state: &State) -> Halt {
        self.error(state, ErrorKind::Unreachable, "")
    }

    fn object(&self, info: &ObjectInfo, address: u64) -> Object {
        Object {
            name: self.linked.string(info.origin.name),
            offset: address.wrapping_sub(info.base) as i64,
            allocated_at: match info.origin.kind {
                Kind::Global | Kind::Function => Vec::new(),
                _ => self.places(info.origin.site),
            },
            freed_at: info.freed.map_or_else(Vec::new, |site| self.places(site)),
            kind: info.origin.kind,
            size: info.size,
        }
    }

    /// A use of bytes that nothing has written to an object.
    pub(super) fn uninitialised_use(
        &self,
        state: &State,
        (address, object): (u64, ObjectInfo),
        bytes: u64,
        how: &str,
    ) -> Halt {
        let object = self.object(&object, address);
        let access = Some((address, bytes));
        let kind = ErrorKind::UninitialisedRead;
        self.error_on(state, kind, how.to_string(), Some(object), access)
    }

    /// A fault as the error it is.
    pub(crate) fn fault(&self, state: &State, fault: Fault, bytes: u64, write: bool) -> Halt {
        if let Fault::Exhausted { .. } = fault {
            let gib = super::MOST_RESIDENT >> 30;
            return self.unsupported(
                state,
                format!("a path that uses more than {gib} GiB of memory"),
            );
        }
        if let Fault::OutOfBounds { object, .. } = &fault
            && object.size == 0
            && let Some(name) = self.linked.missing_variable(object.base)
        {
            return self.missing(state, "a use of the variable", name);
        }
        self.note_layout();
        let pick = |read, written| if write { written } else { read };
        let mut message = String::new();
        let (kind, address, info) = match fault {
            Fault::Null { address } => (ErrorKind::NullDereference, address, None),
            Fault::Wild { address, nearest } => (
                pick(ErrorKind::WildRead, ErrorKind::WildWrite),
                address,
                nearest.filter(|object| !is_far(object, address)),
            ),
            Fault::OutOfBounds {
                address, object, ..
            } if is_far(&object, address) => (
                pick(ErrorKind::WildRead, ErrorKind::WildWrite),
                address,
                None,
            ),
            Fault::OutOfBounds {
                address, object, ..
            } => (
                pick(ErrorKind::OutOfBoundsRead, ErrorKind::OutOfBoundsWrite),
                address,
                Some(object),
            ),
            Fault::UseAfterFree { address, object } => {
                let kind = match object.origin.kind {
                    Kind::Stack => ErrorKind::UseAfterReturn,
                    _ => ErrorKind::UseAfterFree,
                };
                (kind, address, Some(object))
            }
            Fault::ReadOnly { address, object } => {
                (ErrorKind::WriteToReadOnly, address, Some(object))
            }
            Fault::BadFree { address, object } => {
                let object = object.filter(|object| is_beside(object, address));
                if object.is_none() {
                    message = "the pointer points to no object".to_string();
                }
                (ErrorKind::BadFree, address, object)
            }
            Fault::DoubleFree { address, object } => (ErrorKind::DoubleFree, address, Some(object)),
            Fault::Function { address } | Fault::Exhausted { address } => (
                pick(ErrorKind::WildRead, ErrorKind::WildWrite),
                address,
                None,
            ),
        };
        let object = info.map(|info| self.object(&info, address));
        self.error_on(state, kind, message, object, Some((address, bytes)))
    }
}

/// So far from an object that it is not the one that was meant.
fn is_far(object: &ObjectInfo, address: u64) -> bool {
    const FAR: i64 = 1 << 20;
    let offset = address.wrapping_sub(object.base) as i64;
    offset < -FAR || offset > (object.size as i64).saturating_add(FAR)
}

/// So close to an object that the pointer was made from it, and is no number that happens to lie in its part of the
/// address space.
fn is_beside(object: &ObjectInfo, address: u64) -> bool {
    const NEAR: u64 = 4096;
    let from = object.base.saturating_sub(NEAR);
    (from..=object.base + object.size + NEAR).contains(&address)
}

/// A name as its author wrote it.
pub fn demangle(name: &str) -> String {
    if let Ok(rust) = rustc_demangle::try_demangle(name) {
        return format!("{rust:#}");
    }
    if name.starts_with("_Z")
        && let Ok(symbol) = cpp_demangle::Symbol::new(name)
        && let Ok(text) = symbol.demangle()
    {
        return text;
    }
    name.to_string()
}
