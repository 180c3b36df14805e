//! Growing boosted trees on numbers and yes-or-no labels, each row with a weight.

use becket_commits::forest::{Forest, Tree};

/// Rows of numbers, kept as which of a few ranges of its column each is in.
#[derive(Debug)]
pub(super) struct Rows {
    /// Column by column.
    columns: Vec<Vec<u8>>,
    /// The upper bounds of the ranges of each column, but for the last.
    bounds: Vec<Vec<f32>>,
    pub(super) labels: Vec<f32>,
    pub(super) weights: Vec<f32>,
}

#[derive(Debug, Clone, Copy)]
pub(super) struct Growth {
    pub(super) trees: usize,
    pub(super) depth: usize,
    pub(super) rate: f32,
    /// Draws each leaf towards zero, in units of weight.
    pub(super) restraint: f32,
}

const RANGES: usize = 32;
/// With fewer rows than this, every tree sees all of them.
const SMALL: usize = 5_000;

impl Rows {
    pub(super) fn new(width: usize, rows: &[&[f32]], labels: Vec<f32>, weights: Vec<f32>) -> Self {
        let (mut columns, mut bounds) = (Vec::new(), Vec::new());
        for column in 0..width {
            let step = (rows.len() / 20_000).max(1);
            let mut sorted: Vec<f32> = rows.iter().step_by(step).map(|row| row[column]).collect();
            sorted.sort_by(f32::total_cmp);
            let mut limits: Vec<f32> = Vec::new();
            for range in 1..RANGES {
                let value = sorted[(range * sorted.len() / RANGES).min(sorted.len() - 1)];
                if limits.last().is_none_or(|last| value > *last) && value < sorted[sorted.len() - 1] {
                    limits.push(value);
                }
            }
            // Numbers that are mostly nought still have ranges above it.
            let positive: Vec<f32> = sorted.iter().copied().filter(|value| *value > 0.0).collect();
            if !positive.is_empty() && positive.len() * 3 < sorted.len() * 2 {
                limits.extend((0..16).map(|range| positive[range * positive.len() / 16]));
                limits.push(0.0);
                limits.sort_by(f32::total_cmp);
                limits.dedup();
            }
            columns.push(
                rows.iter()
                    .map(|row| {
                        u8::try_from(limits.partition_point(|limit| row[column] > *limit)).unwrap_or(u8::MAX)
                    })
                    .collect(),
            );
            bounds.push(limits);
        }
        Self { columns, bounds, labels, weights }
    }
}

/// The forest, and how much each column won.
pub(super) fn grow(rows: &Rows, growth: Growth) -> (Forest, Vec<f32>) {
    let total: f32 = rows.weights.iter().sum();
    let positive: f32 = rows.weights.iter().zip(&rows.labels).map(|(weight, label)| weight * label).sum();
    let share = (positive / total).clamp(0.001, 0.999);
    let bias = (share / (1.0 - share)).ln();
    let mut odds = vec![bias; rows.labels.len()];
    let mut gains = vec![0.0; rows.columns.len()];
    let mut forest = Forest { bias, trees: Vec::new() };
    let mut gradients = vec![(0.0_f32, 0.0_f32); odds.len()];
    for round in 0..growth.trees {
        for (place, gradient) in gradients.iter_mut().enumerate() {
            let chance = 1.0 / (1.0 + (-odds[place]).exp());
            let weight = rows.weights[place];
            *gradient =
                (weight * (rows.labels[place] - chance), weight * (chance * (1.0 - chance)).max(1e-6));
        }
        // Every tree is grown on other rows, which makes it quicker and the forest less sure of itself.
        let chosen: Vec<u32> = (0..u32::try_from(odds.len()).unwrap_or(u32::MAX))
            .filter(|place| {
                (*place as usize + round).wrapping_mul(0x9e37_79b9) >> 7 & 3 == round & 3
                    || odds.len() < SMALL
            })
            .collect();
        let tree = grow_tree(rows, &gradients, &chosen, growth, &mut gains);
        for (place, odds) in odds.iter_mut().enumerate() {
            *odds += tree.leaves[leaf_of(rows, &tree, place)];
        }
        forest.trees.push(tree);
    }
    let all: f32 = gains.iter().sum();
    (forest, gains.iter().map(|gain| gain / all.max(f32::MIN_POSITIVE)).collect())
}

fn leaf_of(rows: &Rows, tree: &Tree, place: usize) -> usize {
    tree.features.iter().zip(&tree.thresholds).fold(0, |leaf, (column, threshold)| {
        let column = usize::from(*column);
        let range = rows.bounds[column].partition_point(|bound| bound < threshold);
        leaf * 2 + usize::from(usize::from(rows.columns[column][place]) > range)
    })
}

fn grow_tree(
    rows: &Rows,
    gradients: &[(f32, f32)],
    chosen: &[u32],
    growth: Growth,
    gains: &mut [f32],
) -> Tree {
    let mut leaves = vec![0_u8; chosen.len()];
    let own: Vec<(f32, f32)> = chosen.iter().map(|place| gradients[*place as usize]).collect();
    let (mut features, mut thresholds) = (Vec::new(), Vec::new());
    for depth in 0..growth.depth {
        let count = 1 << depth;
        let mut best: Option<(f32, usize, usize)> = None;
        for (column, values) in rows.columns.iter().enumerate() {
            let ranges = rows.bounds[column].len() + 1;
            if ranges < 2 {
                continue;
            }
            let mut sums = vec![(0.0_f32, 0.0_f32); count * ranges];
            for ((leaf, place), gradient) in leaves.iter().zip(chosen).zip(&own) {
                let sum = &mut sums[*leaf as usize * ranges + values[*place as usize] as usize];
                sum.0 += gradient.0;
                sum.1 += gradient.1;
            }
            let mut gain = vec![0.0_f32; ranges - 1];
            for leaf in sums.chunks_exact(ranges) {
                let whole = leaf.iter().fold((0.0, 0.0), |all, one| (all.0 + one.0, all.1 + one.1));
                let mut low = (0.0, 0.0);
                for (range, gain) in gain.iter_mut().enumerate() {
                    low = (low.0 + leaf[range].0, low.1 + leaf[range].1);
                    let high = (whole.0 - low.0, whole.1 - low.1);
                    *gain += worth(low, growth) + worth(high, growth) - worth(whole, growth);
                }
            }
            for (range, gain) in gain.into_iter().enumerate() {
                if best.is_none_or(|best| gain > best.0) {
                    best = Some((gain, column, range));
                }
            }
        }
        let Some((gain, column, range)) = best.filter(|best| best.0 > 0.0) else { break };
        gains[column] += gain;
        features.push(u16::try_from(column).unwrap_or(u16::MAX));
        thresholds.push(rows.bounds[column][range]);
        for (leaf, place) in leaves.iter_mut().zip(chosen) {
            *leaf = *leaf * 2 + u8::from(rows.columns[column][*place as usize] as usize > range);
        }
    }
    let mut sums = vec![(0.0_f32, 0.0_f32); 1 << features.len()];
    for (leaf, gradient) in leaves.iter().zip(&own) {
        let sum = &mut sums[*leaf as usize];
        sum.0 += gradient.0;
        sum.1 += gradient.1;
    }
    let value = |sum: &(f32, f32)| (growth.rate * sum.0 / (sum.1 + growth.restraint) * 1e4).round() / 1e4;
    Tree { features, thresholds, leaves: sums.iter().map(value).collect() }
}

fn worth(sum: (f32, f32), growth: Growth) -> f32 {
    sum.0 * sum.0 / (sum.1 + growth.restraint)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_rule_of_two_numbers_is_learned() {
        let rows: Vec<[f32; 2]> =
            (0_u16..400).map(|row| [f32::from(row % 20), f32::from(row / 20)]).collect();
        let truth = |row: &[f32; 2]| row[0] > 9.0 && row[1] > 12.0;
        let labels: Vec<f32> = rows.iter().map(|row| f32::from(u8::from(truth(row)))).collect();
        let slices: Vec<&[f32]> = rows.iter().map(<[f32; 2]>::as_slice).collect();
        let rows_read = Rows::new(2, &slices, labels, vec![1.0; rows.len()]);
        let (forest, gains) = grow(&rows_read, Growth { trees: 30, depth: 3, rate: 0.3, restraint: 1.0 });
        let wrong = rows.iter().filter(|row| (forest.chance(&row[..]) > 0.5) != truth(row)).count();
        assert!(wrong <= 4, "{wrong} of 400 wrong");
        assert!(gains[0] > 0.1 && gains[1] > 0.1, "{gains:?}");
    }
}
