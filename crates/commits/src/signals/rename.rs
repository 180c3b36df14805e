//! A rename and what follows from it: the same name replaced by the same other name, a moved file and those that name it.

use crate::profile::merge;
use crate::signal::{Pair, Signal, flag};

pub(super) const SIGNAL: Signal =
    Signal { name: "rename", features: &["same_swap", "any_swap", "moved_file"], measure, reason };

fn measure(pair: &Pair<'_>, numbers: &mut [f32]) {
    let (one, other) = pair.profiles();
    numbers[0] = same_swap(pair).map_or(0.0, |(_, new)| pair.tree.rarity(new).max(0.1));
    numbers[1] = flag(!one.swaps.is_empty()) + flag(!other.swaps.is_empty());
    numbers[2] = flag(one.kinds.moved_file) + flag(other.kinds.moved_file);
}

fn reason(pair: &Pair<'_>) -> Option<String> {
    if let Some((old, new)) = same_swap(pair) {
        return Some(format!("both replace `{}` by `{}`", pair.tree.name(old), pair.tree.name(new)));
    }
    let (one, other) = pair.profiles();
    (pair.same_file() && one.kinds.moved_file && (one.kinds.whole_file || other.kinds.whole_file))
        .then(|| format!("{} was moved and edited", pair.places().0.file_name()))
}

fn same_swap(pair: &Pair<'_>) -> Option<(u32, u32)> {
    let (one, other) = pair.profiles();
    let mut found = None;
    merge(&one.swaps, &other.swaps, |a, b| a.0.cmp(&b.0), |swap, _| found = found.or(Some((swap.1, swap.2))));
    found
}
