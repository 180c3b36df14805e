//! Two units that change lines with the same rare names are likely about the same thing.

use crate::profile::{Profile, Tree, cosine, merge};
use crate::signal::{Pair, Signal};

pub(super) const SIGNAL: Signal = Signal {
    name: "shared_names",
    features: &["names", "fresh_names", "rarest_shared", "second_rarest_shared", "rarest_fresh"],
    measure,
    reason,
};

/// A name in at most about one commit of fifty.
const RARE: f32 = 0.5;

fn measure(pair: &Pair<'_>, numbers: &mut [f32]) {
    let (one, other) = pair.profiles();
    numbers[0] = cosine(&one.names, &other.names);
    numbers[1] = cosine(&one.fresh, &other.fresh);
    let (first, second) = rarest(pair.tree, one, other);
    numbers[2] = first.map_or(0.0, |name| pair.tree.rarity(name));
    numbers[3] = second.map_or(0.0, |name| pair.tree.rarity(name));
    merge(
        &one.fresh,
        &other.fresh,
        |a, b| a.0.cmp(&b.0),
        |a, _| {
            numbers[4] = numbers[4].max(pair.tree.rarity(a.0));
        },
    );
}

fn reason(pair: &Pair<'_>) -> Option<String> {
    let (one, other) = pair.profiles();
    let (first, second) = rarest(pair.tree, one, other);
    let rare = |name: Option<u32>| {
        name.filter(|name| pair.tree.rarity(*name) >= RARE).map(|name| pair.tree.name(name))
    };
    match (rare(first), rare(second)) {
        (Some(first), Some(second)) => Some(format!("both change lines with `{first}` and `{second}`")),
        (Some(name), None) => Some(format!("both change lines with `{name}`")),
        _ => None,
    }
}

/// The two rarest names that both have; of equally rare ones, the longest and then the first by name.
fn rarest(tree: &Tree<'_>, one: &Profile, other: &Profile) -> (Option<u32>, Option<u32>) {
    let (mut first, mut second) = (None, None);
    let better = |name: u32, than: Option<u32>| {
        than.is_none_or(|than| {
            let key = |name: u32| (tree.name(name).len(), std::cmp::Reverse(tree.name(name)));
            tree.rarity(name).total_cmp(&tree.rarity(than)).then_with(|| key(name).cmp(&key(than))).is_gt()
        })
    };
    merge(
        &one.names,
        &other.names,
        |a, b| a.0.cmp(&b.0),
        |a, _| {
            if better(a.0, first) {
                second = first;
                first = Some(a.0);
            } else if better(a.0, second) {
                second = Some(a.0);
            }
        },
    );
    (first, second)
}
