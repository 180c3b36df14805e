//! Lines that are near each other in a file are more likely changed for one reason.

use crate::profile::logarithm;
use crate::signal::{Pair, Signal, flag};

pub(super) const SIGNAL: Signal =
    Signal { name: "distance", features: &["same_file", "lines_apart", "units_between"], measure, reason };

/// Of units in different files: further than any.
const ELSEWHERE: f32 = 14.0;

fn measure(pair: &Pair<'_>, numbers: &mut [f32]) {
    let (one, other) = pair.profiles();
    numbers[0] = flag(pair.same_file());
    numbers[1] = lines_apart(pair).map_or(ELSEWHERE, logarithm);
    numbers[2] = if pair.same_file() { logarithm(one.rank.abs_diff(other.rank)) } else { ELSEWHERE };
}

fn reason(pair: &Pair<'_>) -> Option<String> {
    let (place, _) = pair.places();
    match lines_apart(pair)? {
        0..=1 => Some(format!("they stand next to each other in {}", place.file_name())),
        lines @ 2..=30 => Some(format!("they are {lines} lines apart in {}", place.file_name())),
        _ => None,
    }
}

fn lines_apart(pair: &Pair<'_>) -> Option<usize> {
    let (one, other) = pair.profiles();
    let (first, second) = if one.start <= other.start { (one, other) } else { (other, one) };
    pair.same_file().then(|| second.start.saturating_sub(first.start + first.removed))
}
