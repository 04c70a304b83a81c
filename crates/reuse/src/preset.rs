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

/// How many of something there are to be.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Count {
    Fixed(usize),
    /// As many as have turned out to pay, up to so many; at first so many.
    Adaptive {
        start: usize,
        most: usize,
    },
}

impl Count {
    pub fn most(self) -> usize {
        match self {
            Count::Fixed(most) | Count::Adaptive { most, .. } => most,
        }
    }
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
    /// Mend it by another value for one input.
    pub repair: bool,
    pub slicing: Slicing,
    /// Merge atoms about the same subject; find conflicts among them.
    pub reduce: bool,
    pub exact: bool,
    /// Answers by canonical form, whatever their symbols are called.
    pub canonize: bool,
    pub trie: Trie,
    /// Look for answers to other sets under other names too, by implication.
    pub renaming: bool,
    /// Keep so many solutions of a set beside its own, and try them on sets that it is a prefix of (K_s of the
    /// partial-solution cache).
    pub quick_test: Option<Count>,
    /// Have the solver collect so many partial solutions a call (K_p).
    pub partial_solutions: Option<Count>,
    /// Let layers that cost more than they save rest.
    pub gates: bool,
}

impl Layers {
    const NONE: Layers = Layers {
        asking: Asking::Scratch,
        name_assigned: false,
        facts: false,
        model: false,
        repair: false,
        slicing: Slicing::Off,
        reduce: false,
        exact: false,
        canonize: false,
        trie: Trie::Off,
        renaming: false,
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

    /// Whether answers outlast a run, with a store: by canonical form, or by set over the same names.
    pub fn keeps_answers(&self) -> bool {
        self.canonize || self.exact && self.trie == Trie::Plain
    }

    /// Switches a layer off; false if there is no layer of this name.
    pub fn without(&mut self, layer: &str) -> bool {
        match layer {
            "facts" => self.facts = false,
            // There is nothing to be mended then.
            "model" => (self.model, self.repair) = (false, false),
            "repair" => self.repair = false,
            "slice" => self.slicing = Slicing::Off,
            "reduce" => self.reduce = false,
            "exact" => self.exact = false,
            "canonize" => self.canonize = false,
            "sets" => (self.trie, self.renaming) = (Trie::Off, false),
            "implication" => {
                if self.trie == Trie::Implication {
                    self.trie = Trie::Plain;
                }
                self.renaming = false;
            }
            "renaming" => self.renaming = false,
            "quick-test" => self.quick_test = None,
            "partial-solutions" => self.partial_solutions = None,
            "gates" => {
                self.gates = false;
                for count in [&mut self.quick_test, &mut self.partial_solutions] {
                    *count = count.map(|count| Count::Fixed(count.most()));
                }
            }
            _ => return false,
        }
        true
    }

    /// Fixes how many partial solutions a call is asked for (K_p), and how many solutions a set keeps (K_s). Says why
    /// not, if there is no layer that a number is about.
    pub fn fix_counts(&mut self, kp: Option<usize>, ks: Option<usize>) -> Result<(), &'static str> {
        if let Some(kp) = kp {
            let collected = self.partial_solutions.as_mut();
            *collected.ok_or("--kp is about partial solutions, which are not collected here")? =
                Count::Fixed(kp);
        }
        if let Some(ks) = ks {
            let kept = self.quick_test.as_mut();
            *kept.ok_or("--ks is about solutions that are tried, which are none here")? =
                Count::Fixed(ks);
        }
        Ok(())
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
                quick_test: Some(Count::Fixed(1)),
                ..Layers::NONE
            },
            "greentrie" => Layers {
                slicing: Slicing::Scratch,
                reduce: true,
                exact: true,
                canonize: true,
                trie: Trie::Implication,
                renaming: true,
                ..Layers::NONE
            },
            "pscache" => Layers {
                model: true,
                slicing: Slicing::Scratch,
                exact: true,
                trie: Trie::Plain,
                // At most the values of the paper's first experiment.
                quick_test: Some(Count::Adaptive { start: 8, most: 50 }),
                partial_solutions: Some(Count::Adaptive {
                    start: 32,
                    most: 250,
                }),
                ..Layers::NONE
            },
            "full" => Layers {
                asking: Asking::Stack,
                name_assigned: false,
                facts: true,
                model: true,
                repair: true,
                slicing: Slicing::Incremental,
                reduce: true,
                exact: true,
                canonize: true,
                trie: Trie::Implication,
                renaming: true,
                quick_test: Some(Count::Adaptive {
                    start: 2,
                    most: 256,
                }),
                partial_solutions: Some(Count::Adaptive {
                    start: 2,
                    most: 256,
                }),
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
    "repair",
    "slice",
    "reduce",
    "exact",
    "canonize",
    "sets",
    "implication",
    "renaming",
    "quick-test",
    "partial-solutions",
    "gates",
];
