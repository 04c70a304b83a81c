//! Types: interned by the reader's table, so an id is what a record says.

/// An index into a module's [`Types`].
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, PartialOrd, Ord)]
pub struct TypeId(pub u32);

#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Type {
    Void,
    Half,
    BFloat,
    Float,
    Double,
    X86Fp80,
    Fp128,
    PpcFp128,
    Label,
    Metadata,
    Token,
    X86Mmx,
    X86Amx,
    Int(u32),
    /// `pointee` is known in bitcode of the days of typed pointers.
    Pointer {
        pointee: Option<TypeId>,
        space: u32,
    },
    Struct {
        name: Option<String>,
        fields: Vec<TypeId>,
        packed: bool,
    },
    /// A structure that is never defined here.
    Opaque {
        name: String,
    },
    Array {
        element: TypeId,
        len: u64,
    },
    Vector {
        element: TypeId,
        len: u64,
        scalable: bool,
    },
    Function {
        result: TypeId,
        params: Vec<TypeId>,
        variadic: bool,
    },
    TargetExt {
        name: String,
    },
}

/// A module's types.
#[derive(Debug, Default)]
pub struct Types {
    types: Vec<Type>,
}

impl Types {
    /// The bits of a float, or of the floats that an array consists of.
    pub fn float_bits(&self, mut ty: TypeId) -> Option<u32> {
        while let Type::Array { element, .. } = *self.get(ty) {
            ty = element;
        }
        Some(match self.get(ty) {
            Type::Half => 16,
            Type::Float => 32,
            Type::Double => 64,
            Type::X86Fp80 => 80,
            Type::Fp128 => 128,
            _ => return None,
        })
    }

    pub fn push(&mut self, ty: Type) -> TypeId {
        self.types.push(ty);
        TypeId(self.types.len() as u32 - 1)
    }

    /// The id of a type, which is added where it is new.
    pub fn intern(&mut self, ty: Type) -> TypeId {
        match self.types.iter().position(|known| *known == ty) {
            Some(index) => TypeId(index as u32),
            None => self.push(ty),
        }
    }

    pub fn len(&self) -> usize {
        self.types.len()
    }

    pub fn is_empty(&self) -> bool {
        self.types.is_empty()
    }

    /// The type of an id that this table gave out.
    pub fn get(&self, id: TypeId) -> &Type {
        &self.types[id.0 as usize]
    }

    pub fn find(&self, id: TypeId) -> Option<&Type> {
        self.types.get(id.0 as usize)
    }

    pub fn is_pointer(&self, id: TypeId) -> bool {
        matches!(self.get(id), Type::Pointer { .. })
    }

    pub fn is_float(&self, id: TypeId) -> bool {
        matches!(
            self.get(id),
            Type::Half
                | Type::BFloat
                | Type::Float
                | Type::Double
                | Type::X86Fp80
                | Type::Fp128
                | Type::PpcFp128
        )
    }
}
