//! Runs of changed lines that hold two concerns: their pieces part where they belong to different groups.

use std::collections::BTreeMap;

use crate::blocks::{Blocks, View};
use crate::change::{Change, Evidence};
use crate::model::Model;
use crate::profile::ratio;
use crate::unit::Unit;

/// How likely a piece must belong to another group, and how much likelier than to its own, to part from its run.
const AT_HOME: f32 = 0.6;
const FAR_MORE: f32 = 0.3;
/// Of a tree with more pieces than this, runs are left whole.
const MOST_PIECES: usize = 1_000;

pub(crate) struct Parted {
    pub(crate) blocks: Vec<Vec<usize>>,
    /// Of the new blocks.
    pub(crate) clusters: Vec<Vec<u32>>,
}

/// Parts runs whose pieces belong to different clusters. A piece goes where it is far more at home than with the run
/// that it is part of; in doubt it stays.
pub(crate) fn parted(
    changes: &[Change<'_>],
    units: &[Unit],
    blocks: &[Vec<usize>],
    clusters: &[Vec<u32>],
    evidence: &Evidence<'_>,
    model: &Model,
) -> Option<Parted> {
    let divisible: usize = blocks.iter().filter(|block| block.len() > 1).map(Vec::len).sum();
    if clusters.len() < 2 || divisible == 0 || divisible > MOST_PIECES {
        return None;
    }
    let (mut block_of, mut home) = (vec![0; units.len()], vec![0; blocks.len()]);
    for (number, block) in blocks.iter().enumerate() {
        for unit in block {
            block_of[*unit] = number;
        }
    }
    for (number, cluster) in clusters.iter().enumerate() {
        for block in cluster {
            home[*block as usize] = number;
        }
    }
    let fine = Blocks::of((0..units.len()).map(|unit| vec![unit]).collect(), units, evidence);
    let is_piece = |unit: u32| blocks[block_of[unit as usize]].len() > 1;
    let apart = |one: u32, other: u32| block_of[one as usize] != block_of[other as usize];
    let view = View::some(changes, &fine, evidence, model, |one, other| {
        (is_piece(one) || is_piece(other)) && apart(one, other)
    });
    let mut sums: BTreeMap<(usize, usize), (f32, usize)> = BTreeMap::new();
    for (one, other, chance) in &view.chances {
        for (piece, beside) in [(*one as usize, *other as usize), (*other as usize, *one as usize)] {
            let sum = sums.entry((piece, home[block_of[beside]])).or_default();
            sum.0 += chance;
            sum.1 += 1;
        }
    }
    let mut sizes = vec![0_usize; clusters.len()];
    for block in &block_of {
        sizes[home[*block]] += 1;
    }
    // How much a piece is at home in a cluster, the rest of its own run not counted.
    let ease = |piece: usize, cluster: usize| -> Option<f32> {
        let block = block_of[piece];
        let own = if home[block] == cluster { blocks[block].len() } else { 0 };
        let others = sizes[cluster] - own;
        let (sum, count) = sums.get(&(piece, cluster)).copied().unwrap_or_default();
        let unknown = ratio(others.saturating_sub(count), 1);
        (others > 0).then(|| (sum + unknown * model.background) / ratio(others, 1))
    };
    let mut moves: BTreeMap<usize, usize> = BTreeMap::new();
    for (number, block) in blocks.iter().enumerate().filter(|(_, block)| block.len() > 1) {
        let wish = |piece: usize| {
            let mut eases: Vec<(f32, usize)> = (0..clusters.len())
                .filter(|cluster| *cluster != home[number])
                .filter_map(|cluster| Some((ease(piece, cluster)?, cluster)))
                .collect();
            eases.sort_by(|one, other| other.0.total_cmp(&one.0).then(one.1.cmp(&other.1)));
            let (best, cluster) = eases.first().copied()?;
            let rival = eases.get(1).map_or(0.0, |(ease, _)| *ease);
            let here = ease(piece, home[number]).unwrap_or(rival);
            (best >= AT_HOME && best - here.max(rival) >= FAR_MORE).then_some(cluster)
        };
        let wishes: Vec<Option<usize>> = block.iter().map(|piece| wish(*piece)).collect();
        let first = wishes.first().copied().flatten();
        // That the whole run belongs elsewhere has been looked at before.
        if wishes.iter().all(|wish| *wish == first) {
            continue;
        }
        moves.extend(block.iter().zip(wishes).filter_map(|(piece, wish)| Some((*piece, wish?))));
    }
    if moves.is_empty() {
        return None;
    }
    let mut new_blocks: Vec<Vec<usize>> = Vec::new();
    let mut new_clusters: Vec<Vec<u32>> = vec![Vec::new(); clusters.len()];
    for (number, block) in blocks.iter().enumerate() {
        let to = |unit: &usize| moves.get(unit).copied().unwrap_or(home[number]);
        for part in block.chunk_by(|one, next| to(one) == to(next)) {
            new_clusters[to(&part[0])].push(u32::try_from(new_blocks.len()).unwrap_or(u32::MAX));
            new_blocks.push(part.to_vec());
        }
    }
    new_clusters.retain(|cluster| !cluster.is_empty());
    new_clusters.sort_unstable();
    Some(Parted { blocks: new_blocks, clusters: new_clusters })
}
