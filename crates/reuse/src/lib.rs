//! Reuse: a query is answered from earlier answers where they settle it, and from a solver only where they do not.

pub mod allowance;
pub mod answers;
pub mod atoms;
pub mod canon;
pub mod chain;
pub mod gate;
pub mod inputs;
pub mod lasting;
pub mod ltrie;
pub mod model;
pub mod normal;
pub mod path;
pub mod preset;
pub mod quick;
pub mod reduce;
pub mod renamed;
pub mod restriction;
pub mod slice;
pub mod solution;
pub mod stats;
pub mod values;
pub mod work;

pub use chain::Chain;
pub use lasting::SharedAnswers;
pub use preset::{LAYERS, Layers, PRESETS};
pub use stats::{AnsweredBy, ChainStats};
