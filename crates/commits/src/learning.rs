//! What the learning of the model needs of the grouping: the numbers that it sees. Nothing here is used to group.

use crate::change::{Change, Evidence};
use crate::profile::Tree;
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
    Example { pairs: crate::pairs::compare(&tree), files }
}
