//! The same edit made in several places.

use crate::profile::{merge, ratio};
use crate::signal::{Pair, Signal, flag};

pub(super) const SIGNAL: Signal =
    Signal { name: "repetition", features: &["same_lines", "any_same_line"], measure, reason };

fn measure(pair: &Pair<'_>, numbers: &mut [f32]) {
    let (share, common) = alike(pair);
    numbers[0] = share;
    numbers[1] = flag(common > 0);
}

fn reason(pair: &Pair<'_>) -> Option<String> {
    (alike(pair).0 > 0.5).then(|| "both make the same edit".to_owned())
}

fn alike(pair: &Pair<'_>) -> (f32, usize) {
    let (one, other) = pair.profiles();
    let mut common = 0;
    merge(&one.lines, &other.lines, Ord::cmp, |_, _| common += 1);
    (ratio(common, one.lines.len().min(other.lines.len())), common)
}
