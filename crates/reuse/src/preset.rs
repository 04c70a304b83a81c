//! Presets: points in the space of all layers, so that published approaches can be compared on equal terms.

/// How the solver is asked.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Asking {
    /// What a layer above leaves open, from scratch each time.
    Scratch,
    /// Everything on the path, on a stack that follows it.
    Stack,
}

/// How the path is sliced.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Slicing {
    Off,
    /// Anew for each query.
    Scratch,
    /// Kept along the path.
    Incremental,
}

/// How answers to other sets are looked up.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Trie {
    Off,
    /// Subsets and supersets.
    Plain,
    /// Logical subsets and supersets.
    Implication,
}

/// Which layers there are.
#[derive(Clone, Debug, PartialEq)]
pub struct Layers {
    pub asking: Asking,
    /// Give terms that the program has assigned a name, for solvers that are told by text.
    pub name_assigned: bool,
    /// Simplify by equations that define symbols for good.
    pub facts: bool,
    /// Try the model of the path so far.
    pub model: bool,
    pub slicing: Slicing,
    /// Merge atoms about the same subject; find conflicts among them.
    pub reduce: bool,
    pub exact: bool,
    /// Answers by canonical form, and in the store.
    pub canonize: bool,
    pub trie: Trie,
    /// Try known solutions of other sets, up to so many; with gates, as many as pay.
    pub quick_test: Option<usize>,
    /// Have the solver collect partial solutions, up to so many a call; with gates, as many as pay.
    pub partial_solutions: Option<usize>,
    /// Let layers that cost more than they save rest.
    pub gates: bool,
}

impl Layers {
    const NONE: Layers = Layers {
        asking: Asking::Scratch,
        name_assigned: false,
        facts: false,
        model: false,
        slicing: Slicing::Off,
        reduce: false,
        exact: false,
        canonize: false,
        trie: Trie::Off,
        quick_test: None,
        partial_solutions: None,
        gates: false,
    };

    /// Whether there is no layer: the solver is asked everything itself.
    pub fn is_nothing(&self) -> bool {
        *self
            == Layers {
                asking: Asking::Stack,
                name_assigned: self.name_assigned,
                ..Layers::NONE
            }
    }

    /// Switches a layer off; false if there is no layer of this name.
    pub fn without(&mut self, layer: &str) -> bool {
        match layer {
            "facts" => self.facts = false,
            "model" => self.model = false,
            "slice" => self.slicing = Slicing::Off,
            "reduce" => self.reduce = false,
            "exact" => self.exact = false,
            "canonize" => self.canonize = false,
            "sets" => self.trie = Trie::Off,
            "implication" => {
                if self.trie == Trie::Implication {
                    self.trie = Trie::Plain;
                }
            }
            "quick-test" => self.quick_test = None,
            "partial-solutions" => self.partial_solutions = None,
            "gates" => self.gates = false,
            _ => return false,
        }
        true
    }

    /// The layers of a preset.
    pub fn preset(name: &str) -> Option<Layers> {
        Some(match name {
            "baseline" => Layers::NONE,
            "caching" => Layers {
                slicing: Slicing::Scratch,
                exact: true,
                ..Layers::NONE
            },
            "caching-opt" => Layers {
                slicing: Slicing::Incremental,
                exact: true,
                ..Layers::NONE
            },
            "stack" => Layers {
                asking: Asking::Stack,
                ..Layers::NONE
            },
            // What it adds to the stack is in how solver processes are told.
            "stack-opt" => Layers {
                asking: Asking::Stack,
                name_assigned: true,
                ..Layers::NONE
            },
            "green" => Layers {
                slicing: Slicing::Scratch,
                exact: true,
                canonize: true,
                ..Layers::NONE
            },
            "klee" => Layers {
                model: true,
                slicing: Slicing::Scratch,
                exact: true,
                trie: Trie::Plain,
                quick_test: Some(8),
                ..Layers::NONE
            },
            "greentrie" => Layers {
                slicing: Slicing::Scratch,
                reduce: true,
                exact: true,
                canonize: true,
                trie: Trie::Implication,
                ..Layers::NONE
            },
            "pscache" => Layers {
                model: true,
                slicing: Slicing::Scratch,
                exact: true,
                trie: Trie::Plain,
                quick_test: Some(50),
                partial_solutions: Some(250),
                ..Layers::NONE
            },
            "full" => Layers {
                asking: Asking::Stack,
                name_assigned: false,
                facts: true,
                model: true,
                slicing: Slicing::Incremental,
                reduce: true,
                exact: true,
                canonize: true,
                trie: Trie::Implication,
                quick_test: Some(256),
                partial_solutions: Some(256),
                gates: true,
            },
            _ => return None,
        })
    }
}

/// The presets, by name.
pub const PRESETS: &[&str] = &[
    "baseline",
    "caching",
    "caching-opt",
    "stack",
    "stack-opt",
    "green",
    "klee",
    "greentrie",
    "pscache",
    "full",
];

/// The layers that can be switched off, by name.
pub const LAYERS: &[&str] = &[
    "facts",
    "model",
    "slice",
    "reduce",
    "exact",
    "canonize",
    "sets",
    "implication",
    "quick-test",
    "partial-solutions",
    "gates",
];
