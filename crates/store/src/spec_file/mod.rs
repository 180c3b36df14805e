//! `.lodestar/spec.yaml`: the truth for what tasks there are. Owns how the file is read, changed and merged, and that
//! whatever a change does not concern keeps its bytes. What the store knows besides (leases, messages) is not its matter.

pub mod definition;

pub use definition::{DEFAULT_PRIORITY, Definition, Prd, PrdReference, Project, Status};
