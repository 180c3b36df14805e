//! The understand plane: what does this code promise, who depends on it, what did I just break? Joins the index of the
//! working tree with Git and with what was written or set aside before. Every answer is made from the files as they are
//! at the moment of the call.

mod bundle_part;
mod compare;
mod documents;
mod entry;
mod fault;
mod feed;
mod follow;
mod generate;
mod given;
mod impact;
mod lacking;
mod layout;
mod left_out;
mod material;
mod modes;
mod options;
mod page;
mod part;
mod protect;
mod rows;
mod run;
mod search;
mod session;
mod show;
mod site;
mod snapshot;
mod staging;
mod strict;
mod tokens;
mod validate;
mod watch;
mod watching;
mod words;
mod written;

pub use becket_project::walk::Tests;
pub use compare::{CompareRequest, Compared, DriftReport, DriftRequest, LastCompareRequest};
pub use documents::{Documents, DocumentsRequest};
pub use feed::{DriftEvent, DriftFeed, DriftRecent};
pub use generate::{CleanReport, CleanRequest, ContextReport, ContextRequest, LeftOutFile, NotRemoved};
pub(crate) use given::{Drift as GivenDrift, Given};
pub use impact::{ImpactReport, ImpactRequest};
pub use modes::{
    AgainstFull, AgainstSource, ModeCost, ModeShare, ModesReport, ModesRequest, SourceStats, TokenMethod,
};
pub use options::{ContextChoice, ContextOptions, Profile};
pub use protect::{IgnoreReport, ScanReport, ScanRequest, SecretFinding, StampInitReport, StampInitRequest};
pub use search::{ComponentMatch, SearchComponents, SearchComponentsRequest};
pub use show::{GraphEdge, GraphFormat, GraphReport, Neighbour, ShownFile};
pub use site::Understanding;
pub use snapshot::{
    BundleRow, FolderRow, ListBundlesRequest, ListedBundles, ReadBundle, ReadBundleRequest, RefreshRequest,
    Refreshed, SnapshotSource, SnapshotSummary,
};
pub use strict::{StrictCheck, StrictReport, Violation, ViolationSeverity};
pub use validate::{ValidateReport, ValidatedFile};
pub use watch::{WatchRequest, WatchStatus};
pub use watching::{ContextWatch, HashChange, OldNew, Regenerated, WatchContextRequest, WatchEnd};

#[cfg(test)]
mod tests;
