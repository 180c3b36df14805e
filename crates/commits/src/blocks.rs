//! Units looked at as one each, a run with all its pieces or less, and how likely two of them belong together.

use std::sync::Arc;

use crate::change::{Change, Evidence};
use crate::cluster::Chance;
use crate::model::Model;
use crate::pairs::{Pairs, compare};
use crate::profile::Tree;
use crate::unit::{Unit, joined};

/// How much embeddings move the log odds of two units, from the least to the most alike.
const EMBEDDING_WEIGHT: f32 = 3.0;

/// Units that are looked at as one each.
pub(crate) struct Blocks {
    pub(crate) members: Vec<Vec<usize>>,
    units: Vec<Unit>,
    vectors: Option<Vec<Arc<[f32]>>>,
}

impl Blocks {
    pub(crate) fn of(members: Vec<Vec<usize>>, units: &[Unit], evidence: &Evidence<'_>) -> Self {
        let vectors = evidence.embeddings.filter(|vectors| vectors.len() == units.len());
        Self {
            units: members.iter().filter_map(|block| joined(units, block)).collect(),
            vectors: vectors.map(|vectors| members.iter().map(|block| sum(vectors, block)).collect()),
            members,
        }
    }

    /// What is read of each.
    pub(crate) fn tree<'a>(&self, changes: &[Change<'_>], evidence: &Evidence<'a>) -> Tree<'a> {
        Tree::read(changes, &self.units, &alone(evidence))
    }
}

/// Without what speaks of single units by their place.
fn alone<'a>(evidence: &Evidence<'a>) -> Evidence<'a> {
    Evidence { embeddings: None, together: &[], companions: &[], breaking: &[], ..*evidence }
}

/// The vector of several units: it points where they do together.
fn sum(vectors: &[Arc<[f32]>], block: &[usize]) -> Arc<[f32]> {
    if let [one] = block {
        return Arc::clone(&vectors[*one]);
    }
    let width = block.iter().map(|unit| vectors[*unit].len()).min().unwrap_or_default();
    (0..width).map(|at| block.iter().map(|unit| vectors[*unit][at]).sum()).collect()
}

/// What is known of blocks, and how likely each two of them belong together.
pub(crate) struct View<'a> {
    pub(crate) tree: Tree<'a>,
    pub(crate) chances: Vec<Chance>,
}

impl<'a> View<'a> {
    pub(crate) fn of(
        changes: &[Change<'_>],
        blocks: &'a Blocks,
        evidence: &Evidence<'a>,
        model: &Model,
    ) -> Self {
        Self::some(changes, blocks, evidence, model, |_, _| true)
    }

    /// Only `wanted` pairs are compared.
    pub(crate) fn some(
        changes: &[Change<'_>],
        blocks: &'a Blocks,
        evidence: &Evidence<'a>,
        model: &Model,
        wanted: impl Fn(u32, u32) -> bool,
    ) -> Self {
        let evidence = Evidence { embeddings: blocks.vectors.as_deref(), ..alone(evidence) };
        let tree = Tree::read(changes, &blocks.units, &evidence);
        let pairs = compare(&tree, wanted);
        let chances = chances(&tree, &pairs, model);
        Self { tree, chances }
    }

    pub(crate) fn files(&self) -> Vec<usize> {
        self.tree.profiles.iter().map(|profile| profile.place).collect()
    }
}

fn chances(tree: &Tree<'_>, pairs: &Pairs, model: &Model) -> Vec<Chance> {
    let embedding =
        crate::pairs::feature_names().iter().position(|name| name == "embedding").unwrap_or_default();
    let given = tree.evidence.embeddings.is_some_and(|vectors| vectors.len() == tree.profiles.len());
    let column = || (0..pairs.pairs.len()).map(|pair| pairs.row(pair)[embedding]);
    // Models differ in how alike they find unrelated texts, so only the place between their own extremes counts.
    let (low, high) =
        column().fold((f32::MAX, f32::MIN), |(low, high), value| (low.min(value), high.max(value)));
    let range = (high - low).max(0.05);
    let known = model.features == crate::pairs::feature_names();
    let chance = |(number, (one, other)): (usize, &(u32, u32))| {
        let row = pairs.row(number);
        let mut odds = if known { model.pair.log_odds(row) } else { 0.0 };
        if given {
            odds += EMBEDDING_WEIGHT * ((row[embedding] - low) / range - 0.5);
        }
        (*one, *other, 1.0 / (1.0 + (-odds).exp()))
    };
    pairs.pairs.iter().enumerate().map(chance).collect()
}
