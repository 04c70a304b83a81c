//! Reuse: a query is answered from earlier answers where they settle it, and from a solver only where they do not.

pub mod allowance;
pub mod answers;
pub mod canon;
pub mod chain;
pub mod gate;
mod implication;
pub mod lasting;
pub mod ltrie;
pub mod normal;
pub mod preset;
pub mod quick;
pub mod reduce;
pub mod renamed;
pub mod stats;

pub use chain::{Chain, MOST_REMEMBERED};
pub use lasting::SharedAnswers;
pub use preset::{Count, LAYERS, Layers, PRESETS};
pub use stats::{AnsweredBy, ChainStats};
