//! Runs of changed lines that two groups have a part in, as their names tell: looked at before anything is grouped,
//! because such a run would otherwise hold the two together.

use std::collections::{BTreeMap, BTreeSet};

use crate::blocks::{Blocks, View};
use crate::change::{Change, Evidence};
use crate::cluster::{Chance, cluster};
use crate::model::Model;
use crate::profile::Tree;
use crate::unit::Unit;

/// A name in at most about one commit of fifty tells what a piece is about.
const TELLING: f32 = 0.5;
/// Of a tree with more pieces than this, runs are left whole.
const MOST_PIECES: usize = 1_000;

/// Blocks of which mixed runs are taken apart, in their order.
pub(crate) struct Unmixed {
    pub(crate) blocks: Vec<Vec<usize>>,
    /// The run that each block is of, by number.
    run_of: Vec<usize>,
}

impl Unmixed {
    /// The chances, but for those between parts of one run: that they stand beside each other says nothing any more.
    pub(crate) fn apart(&self, chances: Vec<Chance>) -> Vec<Chance> {
        let same = |one: u32, other: u32| self.run_of[one as usize] == self.run_of[other as usize];
        chances.into_iter().filter(|(one, other, _)| !same(*one, *other)).collect()
    }
}

/// Takes runs apart whose pieces have names in common with different clusters of all that is not such a run. Nothing where
/// there is none.
pub(crate) fn unmixed(
    changes: &[Change<'_>],
    units: &[Unit],
    blocks: &[Vec<usize>],
    view: &View<'_>,
    evidence: &Evidence<'_>,
    model: &Model,
) -> Option<Unmixed> {
    let is_divisible = |block: u32| blocks[block as usize].len() > 1;
    let pieces: usize = blocks.iter().filter(|block| block.len() > 1).map(Vec::len).sum();
    if pieces == 0 || pieces > MOST_PIECES {
        return None;
    }
    let whole: Vec<Chance> = view
        .chances
        .iter()
        .copied()
        .filter(|(one, other, _)| !is_divisible(*one) && !is_divisible(*other))
        .collect();
    let clusters = cluster(&view.files(), &whole, model);
    let fine = Blocks::of((0..units.len()).map(|unit| vec![unit]).collect(), units, evidence);
    let tree = fine.tree(changes, evidence);
    // Names that only one cluster has, and which.
    let mut owners: BTreeMap<u32, BTreeSet<usize>> = BTreeMap::new();
    for (number, cluster) in clusters.iter().enumerate() {
        for block in cluster.iter().filter(|block| !is_divisible(**block)) {
            for unit in &blocks[*block as usize] {
                for (name, _) in &tree.profiles[*unit].names {
                    owners.entry(*name).or_default().insert(number);
                }
            }
        }
    }
    let mut unmixed = Unmixed { blocks: Vec::new(), run_of: Vec::new() };
    for (run, block) in blocks.iter().enumerate() {
        for part in parts(&tree, block, &owners) {
            unmixed.blocks.push(part);
            unmixed.run_of.push(run);
        }
    }
    (unmixed.blocks.len() > blocks.len()).then_some(unmixed)
}

/// The pieces of a run, taken apart where they belong to different clusters.
fn parts(tree: &Tree<'_>, block: &[usize], owners: &BTreeMap<u32, BTreeSet<usize>>) -> Vec<Vec<usize>> {
    let homes: Vec<Option<usize>> = block.iter().map(|piece| home(tree, block, *piece, owners)).collect();
    let distinct: BTreeSet<usize> = homes.iter().flatten().copied().collect();
    if distinct.len() < 2 {
        return vec![block.to_vec()];
    }
    // A piece that tells nothing stays with the one before it, the first ones with the first that tells something.
    let first = homes.iter().flatten().next().copied();
    let mut last = first;
    let mut found: Vec<(Option<usize>, Vec<usize>)> = Vec::new();
    for (piece, home) in block.iter().zip(homes) {
        last = home.or(last);
        match found.last_mut().filter(|(at, _)| *at == last) {
            Some((_, part)) => part.push(*piece),
            None => found.push((last, vec![*piece])),
        }
    }
    found.into_iter().map(|(_, part)| part).collect()
}

/// The one cluster that has names of a piece which no other piece of its run has.
fn home(
    tree: &Tree<'_>,
    block: &[usize],
    piece: usize,
    owners: &BTreeMap<u32, BTreeSet<usize>>,
) -> Option<usize> {
    let others = block.iter().filter(|other| **other != piece);
    let beside: BTreeSet<u32> =
        others.flat_map(|other| tree.profiles[*other].names.iter().map(|(name, _)| *name)).collect();
    let own = tree.profiles[piece].names.iter().map(|(name, _)| *name);
    let telling = own.filter(|name| tree.rarity(*name) >= TELLING && !beside.contains(name));
    let homes: BTreeSet<usize> = telling.filter_map(|name| owners.get(&name)).flatten().copied().collect();
    if homes.len() == 1 { homes.first().copied() } else { None }
}
