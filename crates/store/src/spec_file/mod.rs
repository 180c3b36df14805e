//! `.lodestar/spec.yaml`: the truth for what tasks there are. Owns how the file is read, changed and merged, and that
//! whatever a change does not concern keeps its bytes. What the store knows besides (leases, messages) is not its matter.

pub mod definition;
mod edit;
mod error;
mod file;
mod lines;
mod merge;
mod node;
mod outline;
mod read;
mod render;
mod scalar;
mod scan;
mod splice;
mod task;
#[cfg(test)]
mod tests;

pub use definition::{DEFAULT_PRIORITY, Definition, Prd, PrdReference, Project, Status};
pub use edit::{Edit, Field, apply};
pub use error::{Place, SpecError};
pub use file::{Loaded, Sheet, SpecFile, Stat};
pub use lines::Labels;
pub use merge::{Merged, merge};
pub use read::{Problem, Spec, dependencies_at, read};
pub use scalar::quoted;
