//! How good a grouping is: rule 4 of the protocol.

use std::collections::BTreeMap;

use super::random::Random;

#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Scores {
    /// The Rand index, adjusted for chance.
    pub(super) ari: f64,
    pub(super) pair_f1: f64,
    /// The share of changed lines that stand in the right group, by the best matching of groups.
    pub(super) accuracy: f64,
    pub(super) perfect: f64,
    pub(super) groups: f64,
}

/// `lines` says how much each unit weighs for the accuracy.
pub(super) fn score(truth: &[usize], answer: &[usize], lines: &[usize]) -> Scores {
    let mut table: BTreeMap<(usize, usize), usize> = BTreeMap::new();
    let mut weight: BTreeMap<(usize, usize), usize> = BTreeMap::new();
    let (mut rows, mut columns): (BTreeMap<usize, usize>, BTreeMap<usize, usize>) = Default::default();
    for ((one, other), lines) in truth.iter().zip(answer).zip(lines) {
        *table.entry((*one, *other)).or_default() += 1;
        *weight.entry((*other, *one)).or_default() += lines;
        *rows.entry(*one).or_default() += 1;
        *columns.entry(*other).or_default() += 1;
    }
    let pairs = |count: &usize| real(count * count.saturating_sub(1) / 2);
    let (both, same, together) = (
        table.values().map(pairs).sum::<f64>(),
        rows.values().map(pairs).sum::<f64>(),
        columns.values().map(pairs).sum::<f64>(),
    );
    let all = pairs(&truth.len());
    let expected = if all > 0.0 { same * together / all } else { 0.0 };
    let most = f64::midpoint(same, together);
    let ari = if (most - expected).abs() < 1e-12 { 1.0 } else { (both - expected) / (most - expected) };
    let pair_f1 = if same + together > 0.0 { 2.0 * both / (same + together) } else { 1.0 };
    let perfect = table.len() == rows.len() && table.len() == columns.len();
    let total: usize = lines.iter().sum();
    let accuracy =
        real(best_matching(&weight, &rows.keys().copied().collect::<Vec<_>>())) / real(total.max(1));
    Scores { ari, pair_f1, accuracy, perfect: f64::from(u8::from(perfect)), groups: real(columns.len()) }
}

/// The heaviest one-to-one matching. There are few true groups, so every set of them is tried.
fn best_matching(weight: &BTreeMap<(usize, usize), usize>, truths: &[usize]) -> usize {
    let mut best = vec![0; 1 << truths.len()];
    let mut answers: BTreeMap<usize, Vec<(usize, usize)>> = BTreeMap::new();
    for ((answer, truth), lines) in weight {
        let place = truths.iter().position(|one| one == truth).unwrap_or_default();
        answers.entry(*answer).or_default().push((place, *lines));
    }
    for options in answers.values() {
        let before = best.clone();
        for (set, value) in best.iter_mut().enumerate() {
            for (place, lines) in options {
                if set & (1 << place) != 0 {
                    *value = (*value).max(before[set & !(1 << place)] + lines);
                }
            }
        }
    }
    best.last().copied().unwrap_or_default()
}

/// A mean with its bounds at 95 %, by drawing the sample again many times.
#[derive(Debug, Clone, Copy)]
pub(super) struct Interval {
    pub(super) mean: f64,
    pub(super) low: f64,
    pub(super) high: f64,
}

pub(super) fn bootstrap(values: &[f64], seed: u64) -> Interval {
    const DRAWS: usize = 1_000;
    if values.is_empty() {
        return Interval { mean: f64::NAN, low: f64::NAN, high: f64::NAN };
    }
    let mut random = Random::new(seed);
    let count = real(values.len());
    let mut means: Vec<f64> = (0..DRAWS)
        .map(|_| (0..values.len()).map(|_| values[random.below(values.len())]).sum::<f64>() / count)
        .collect();
    means.sort_by(f64::total_cmp);
    Interval {
        mean: values.iter().sum::<f64>() / count,
        low: means[DRAWS / 40],
        high: means[DRAWS - 1 - DRAWS / 40],
    }
}

#[allow(clippy::cast_precision_loss, reason = "counts of units and lines")]
pub(super) fn real(count: usize) -> f64 {
    count as f64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_same_partition_is_perfect_under_any_names() {
        let scores = score(&[0, 0, 1, 1], &[7, 7, 3, 3], &[1, 2, 3, 4]);
        assert!(
            (scores.ari - 1.0).abs() < 1e-9 && (scores.accuracy - 1.0).abs() < 1e-9 && scores.perfect > 0.5
        );
    }

    #[test]
    fn one_group_for_all_is_no_better_than_chance() {
        let scores = score(&[0, 0, 1, 1], &[0, 0, 0, 0], &[1, 1, 1, 5]);
        assert!(scores.ari.abs() < 1e-9);
        assert!((scores.pair_f1 - 2.0 * 2.0 / 8.0).abs() < 1e-9);
        assert!((scores.accuracy - 6.0 / 8.0).abs() < 1e-9);
        assert!(scores.perfect < 0.5);
    }

    #[test]
    fn a_known_value_of_the_adjusted_index() {
        let scores = score(&[0, 0, 0, 1, 1, 1], &[0, 0, 1, 1, 2, 2], &[1; 6]);
        assert!((scores.ari - 0.242_424).abs() < 1e-5, "{}", scores.ari);
    }
}
