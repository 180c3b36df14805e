//! The remember plane: why is it so? Joins the vault with Git and the working tree, and says of every entry whether the
//! code that it explains is still the code it was written for.

mod check;
mod create;
mod desk;
mod fault;
mod freshness;
mod get;
mod init;
mod list;
mod meaning;
mod origin;
mod page;
mod place;
mod refs;
mod renumber;
mod sarif;
mod search;
mod touched;
mod verify;
mod view;
mod why;

pub use check::{CheckReport, CheckRequest, Finding, Level};
pub use create::{CreateRequest, CreatedEntry, FlagView, SimilarEntry};
pub use get::{Alteration, EntryView, Successor, Verification};
pub use init::{InitReport, init};
pub use list::{EntryRow, ListRequest, Listed, Unreadable};
pub use place::{Memory, Scope};
pub use refs::{Explanation, RefsAnswer, RefsRequest};
pub use renumber::{RenumberReport, RenumberRequest, Rewritten};
pub use search::{Match, SearchRequest, SearchResult, SearchResults};
pub(crate) use touched::{FileEdit, StaleNote};
pub use verify::{VerifiedEntry, VerifyRequest};
pub use view::{AnchorView, CommitView, Filter, Freshness, ReferenceView};
pub use why::WhyAnswer;

#[cfg(test)]
mod tests;
