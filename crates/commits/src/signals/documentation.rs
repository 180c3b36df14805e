//! A document, or a comment, goes with the code that it speaks of.

use crate::place::Role;
use crate::profile::merge;
use crate::signal::{Pair, Signal, flag};

pub(super) const SIGNAL: Signal = Signal {
    name: "documentation",
    features: &["document_and_code", "names_code", "both_comments", "one_comment"],
    measure,
    reason,
};

fn measure(pair: &Pair<'_>, numbers: &mut [f32]) {
    let (one, other) = pair.profiles();
    numbers[0] = flag(is_pair(pair));
    numbers[1] = named(pair).map_or(0.0, |name| pair.tree.rarity(name));
    numbers[2] = flag(one.kinds.comments && other.kinds.comments);
    numbers[3] = flag(one.kinds.comments != other.kinds.comments);
}

fn reason(pair: &Pair<'_>) -> Option<String> {
    let name = named(pair).filter(|name| pair.tree.rarity(*name) > 0.4)?;
    Some(format!("the document speaks of `{}`", pair.tree.name(name)))
}

fn is_pair(pair: &Pair<'_>) -> bool {
    let (one, other) = pair.places();
    (one.role == Role::Documentation) != (other.role == Role::Documentation)
}

/// The rarest name of the code that the document has too.
fn named(pair: &Pair<'_>) -> Option<u32> {
    if !is_pair(pair) {
        return None;
    }
    let (one, other) = pair.profiles();
    let mut best: Option<u32> = None;
    merge(
        &one.context,
        &other.context,
        |a, b| a.0.cmp(&b.0),
        |a, _| {
            if best.is_none_or(|best| pair.tree.rarity(a.0) > pair.tree.rarity(best)) {
                best = Some(a.0);
            }
        },
    );
    best
}
