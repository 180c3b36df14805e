//! What sort of edits they are and how large. It gives no reasons; it tells how much the other signals are worth.

use crate::profile::logarithm;
use crate::signal::{Pair, Signal, flag};

pub(super) const SIGNAL: Signal = Signal {
    name: "shape",
    features: &[
        "smaller",
        "larger",
        "both_add",
        "both_remove",
        "both_new",
        "one_new",
        "units",
        "files",
        "fewer_beside",
        "more_beside",
    ],
    measure,
    reason: |_| None,
};

fn measure(pair: &Pair<'_>, numbers: &mut [f32]) {
    let (one, other) = pair.profiles();
    let (first, second) = (one.added + one.removed, other.added + other.removed);
    numbers[0] = logarithm(first.min(second));
    numbers[1] = logarithm(first.max(second));
    numbers[2] = flag(one.removed == 0 && other.removed == 0);
    numbers[3] = flag(one.added == 0 && other.added == 0);
    numbers[4] = flag(one.kinds.new_file && other.kinds.new_file);
    numbers[5] = flag(one.kinds.new_file != other.kinds.new_file);
    numbers[6] = logarithm(pair.tree.profiles.len());
    numbers[7] = logarithm(pair.tree.places.len());
    let (beside, others) = (pair.tree.crowd[one.place], pair.tree.crowd[other.place]);
    numbers[8] = logarithm(beside.min(others));
    numbers[9] = logarithm(beside.max(others));
}
