//! Exploring: which paths a program has, and an input for each of them.
//!
//! Generic over the [`Machine`](refrain_machine::Machine): this crate knows terms, solvers and search, no bitcode and
//! no class files. The [`explorer`] coordinates three parts: the `frontier` (what is pending, and what comes next), the
//! `asker` (terms, the solver on the path, evaluation) and the `budget` (limits).
//!
//! It runs a state until it asks, decides which choices are feasible (`branching`, `sample`), goes on with one and keeps
//! the others. What a solver went through on the way is tried as input too (`multiplex`). States can be evicted and
//! executed again (`eviction`, `replay`), which is also how work moves between [`workers`] (`hub`). A [`Listener`] is
//! told everything that happens. A [`Memo`] has what earlier runs know; [`certify`](certify()) shows that it is so.

mod arithmetic;
mod asker;

mod branching;
mod budget;
pub mod certify;
mod error;
mod eviction;
pub mod explorer;
mod frontier;
mod hub;
pub mod listener;
pub mod memo;
mod multiplex;
pub mod options;
mod path_solver;
pub mod paths;
mod ran;
mod replay;
mod sample;
pub mod stats;
mod stop;
pub mod trail;
pub mod workers;

pub use certify::{Certificate, CertifyError, CertifyOptions, certify};
pub use error::{Divergence, ExploreError};
pub use eviction::resident_bytes;
pub use frontier::search::{self, Search};
pub use listener::{Listener, Path};
pub use memo::Memo;
pub use options::{Limits, Mode, Numbers, Options, RecordedValues};
pub use stats::Stats;
pub use stop::StopReason;
pub use trail::{Decision, PlaceId, Trail};
