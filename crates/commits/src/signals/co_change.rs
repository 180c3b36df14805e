//! Files that were often committed together before.

use crate::profile::logarithm;
use crate::signal::{Pair, Signal};

pub(super) const SIGNAL: Signal =
    Signal { name: "co_change", features: &["co_change", "times_together"], measure, reason };

fn measure(pair: &Pair<'_>, numbers: &mut [f32]) {
    let (one, other) = pair.places();
    let history = pair.tree.evidence.history;
    if pair.same_file() {
        numbers.fill(-1.0);
    } else {
        numbers[0] = history.co_change(&one.path, &other.path);
        numbers[1] = logarithm(history.times_together(&one.path, &other.path) as usize);
    }
}

fn reason(pair: &Pair<'_>) -> Option<String> {
    let (one, other) = pair.places();
    let history = pair.tree.evidence.history;
    let times = history.times_together(&one.path, &other.path);
    let often = !pair.same_file() && times > 2 && history.co_change(&one.path, &other.path) > 0.25;
    often
        .then(|| format!("{} and {} changed together in {times} commits", one.file_name(), other.file_name()))
}
