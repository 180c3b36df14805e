//! What the learning of the model needs of the grouping: the numbers that it sees, and what a model that is not shipped
//! makes of changes. Nothing here is used to group.

use becket_diff::FilePath;

use crate::change::{Change, Evidence};
use crate::group::Grouping;
use crate::model::Model;
use crate::place::{Place, Role};
use crate::profile::Tree;
use crate::signal::Pair;
use crate::signals::SIGNALS;
use crate::unit::Unit;

pub use crate::pairs::{Pairs, feature_names};

/// One tree of changes as the model sees it.
#[derive(Debug)]
pub struct Example {
    pub pairs: Pairs,
    /// Which file each unit is in.
    pub files: Vec<usize>,
}

pub fn example(changes: &[Change<'_>], units: &[Unit], evidence: &Evidence<'_>) -> Example {
    let tree = Tree::read(changes, units, evidence);
    let files = tree.profiles.iter().map(|profile| profile.place).collect();
    Example { pairs: crate::pairs::compare(&tree, |_, _| true), files }
}

/// What [`crate::group`] does, by a model of the caller's.
pub fn group_by(model: &Model, changes: &[Change<'_>], units: &[Unit], evidence: &Evidence<'_>) -> Grouping {
    crate::group::group_by(model, changes, units, evidence)
}

/// Whether a path is that of a file which a package manager writes.
pub fn is_lockfile(path: &FilePath) -> bool {
    Place::of(path).role == Role::Lockfile
}

/// What one signal says of two units, counted from zero.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Said {
    pub signal: &'static str,
    pub one: usize,
    pub other: usize,
    pub text: String,
}

/// All that every signal has to say, pair by pair.
pub fn said(changes: &[Change<'_>], units: &[Unit], evidence: &Evidence<'_>) -> Vec<Said> {
    let tree = Tree::read(changes, units, evidence);
    let mut all = Vec::new();
    for one in 0..units.len() {
        for other in one + 1..units.len() {
            let pair = Pair { tree: &tree, one, other };
            let spoken = SIGNALS.iter().filter_map(|signal| Some((signal.name, (signal.reason)(&pair)?)));
            all.extend(spoken.map(|(signal, text)| Said { signal, one, other, text }));
        }
    }
    all
}
