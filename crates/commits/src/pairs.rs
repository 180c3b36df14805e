//! Which units are compared, and the numbers that the model sees of two of them.

use std::collections::{BTreeMap, BTreeSet};

use crate::profile::Tree;
use crate::signal::Pair;
use crate::signals::SIGNALS;

/// Pairs of units with their numbers, row by row. `one < other`, sorted.
#[derive(Debug, Default)]
pub struct Pairs {
    pub pairs: Vec<(u32, u32)>,
    pub width: usize,
    pub numbers: Vec<f32>,
}

impl Pairs {
    pub fn row(&self, pair: usize) -> &[f32] {
        &self.numbers[pair * self.width..(pair + 1) * self.width]
    }
}

/// Up to this many units, each is compared with each.
const ALL_PAIRS: usize = 200;
/// A name that more units have than this tells none of them apart.
const MOST_SHARING: usize = 40;
const RARE_ENOUGH: f32 = 0.3;
/// In a file with more units than this, only the nearest are compared for being near.
const MOST_BESIDE: usize = 24;

/// The numbers of each of which the best of either unit is known too: how good a pair is beside what else there is.
const STANDINGS: [&str; 4] = ["names", "words", "context", "rarest_shared"];

/// The names of all numbers, in order.
pub fn feature_names() -> Vec<String> {
    let own = SIGNALS.iter().flat_map(|signal| signal.features).map(|name| (*name).to_owned());
    let standings =
        STANDINGS.iter().flat_map(|name| [format!("{name}_standing"), format!("{name}_weaker_standing")]);
    own.chain(standings).collect()
}

/// The numbers of all pairs that are worth it and `wanted`.
pub(crate) fn compare(tree: &Tree<'_>, wanted: impl Fn(u32, u32) -> bool) -> Pairs {
    let mut pairs = candidates(tree);
    pairs.retain(|(one, other)| wanted(*one, *other));
    let own: usize = SIGNALS.iter().map(|signal| signal.features.len()).sum();
    let width = own + 2 * STANDINGS.len();
    let mut numbers = vec![0.0; pairs.len() * width];
    for (row, (one, other)) in numbers.chunks_exact_mut(width).zip(&pairs) {
        let pair = Pair { tree, one: *one as usize, other: *other as usize };
        let mut rest = row;
        for signal in SIGNALS {
            let (own, others) = rest.split_at_mut(signal.features.len());
            (signal.measure)(&pair, own);
            rest = others;
        }
    }
    add_standings(&pairs, tree.profiles.len(), own, width, &mut numbers);
    Pairs { pairs, width, numbers }
}

fn add_standings(pairs: &[(u32, u32)], units: usize, own: usize, width: usize, numbers: &mut [f32]) {
    let names = feature_names();
    for (place, standing) in STANDINGS.iter().enumerate() {
        let Some(column) = names.iter().position(|name| name == standing) else { continue };
        let mut best = vec![0.0_f32; units];
        for (row, (one, other)) in numbers.chunks_exact(width).zip(pairs) {
            for unit in [*one, *other] {
                best[unit as usize] = best[unit as usize].max(row[column]);
            }
        }
        for (row, (one, other)) in numbers.chunks_exact_mut(width).zip(pairs) {
            let share =
                |unit: u32| if best[unit as usize] > 0.0 { row[column] / best[unit as usize] } else { 0.0 };
            let (first, second) = (share(*one), share(*other));
            row[own + 2 * place] = first.max(second);
            row[own + 2 * place + 1] = first.min(second);
        }
    }
}

/// All pairs of a small tree. Of a large one those that share something: a rare name, a neighbourhood in a file, a
/// replaced name, or files that belong together.
fn candidates(tree: &Tree<'_>) -> Vec<(u32, u32)> {
    let count = u32::try_from(tree.profiles.len()).unwrap_or(u32::MAX);
    if tree.profiles.len() <= ALL_PAIRS {
        return (0..count).flat_map(|one| (one + 1..count).map(move |other| (one, other))).collect();
    }
    let mut found = BTreeSet::new();
    let mut add = |one: u32, other: u32| {
        if one != other {
            found.insert((one.min(other), one.max(other)));
        }
    };
    let mut sharing: BTreeMap<(u8, u64), Vec<u32>> = BTreeMap::new();
    let mut files: Vec<Vec<u32>> = vec![Vec::new(); tree.places.len()];
    for (unit, profile) in (0..count).zip(&tree.profiles) {
        files[profile.place].push(unit);
        for (name, _) in &profile.names {
            if tree.rarity(*name) >= RARE_ENOUGH {
                sharing.entry((0, u64::from(*name))).or_default().push(unit);
            }
        }
        for (swap, _, _) in &profile.swaps {
            sharing.entry((1, *swap)).or_default().push(unit);
        }
        for line in &profile.lines {
            sharing.entry((2, *line)).or_default().push(unit);
        }
    }
    for units in sharing.values().filter(|units| units.len() <= MOST_SHARING) {
        for (place, one) in units.iter().enumerate() {
            units[place + 1..].iter().for_each(|other| add(*one, *other));
        }
    }
    for units in &files {
        for (place, one) in units.iter().enumerate() {
            units[place + 1..].iter().take(MOST_BESIDE).for_each(|other| add(*one, *other));
        }
    }
    for (one, other) in kin(tree) {
        for (first, second) in files[one].iter().zip(files[other].iter()).take(MOST_BESIDE) {
            add(*first, *second);
        }
        if let (Some(first), Some(second)) = (files[one].first(), files[other].first()) {
            files[one].iter().take(MOST_BESIDE).for_each(|unit| add(*unit, *second));
            files[other].iter().take(MOST_BESIDE).for_each(|unit| add(*first, *unit));
        }
    }
    found.into_iter().collect()
}

/// Files that are called alike or stand beside each other in the order of paths.
fn kin(tree: &Tree<'_>) -> BTreeSet<(usize, usize)> {
    let mut by_stem: BTreeMap<&str, Vec<usize>> = BTreeMap::new();
    let mut by_folder: BTreeMap<&[String], Vec<usize>> = BTreeMap::new();
    for (place, file) in tree.places.iter().enumerate() {
        by_stem.entry(&file.stem).or_default().push(place);
        by_folder.entry(&file.folders).or_default().push(place);
    }
    let mut found = BTreeSet::new();
    for files in by_stem.values().chain(by_folder.values()) {
        for (place, one) in files.iter().enumerate() {
            found.extend(files[place + 1..].iter().take(6).map(|other| (*one, *other)));
        }
    }
    found
}
