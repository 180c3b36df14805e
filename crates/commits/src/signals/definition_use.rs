//! One unit declares a name, the other uses it: in another file or further down in the same one.

use crate::profile::{Profile, Tree, merge};
use crate::signal::{Pair, Signal, flag};

pub(super) const SIGNAL: Signal = Signal {
    name: "definition_use",
    features: &["declared_and_used", "declared_in_both", "imported_and_used"],
    measure,
    reason,
};

fn measure(pair: &Pair<'_>, numbers: &mut [f32]) {
    let (one, other) = pair.profiles();
    numbers[0] = declared_and_used(pair).map_or(0.0, |name| pair.tree.rarity(name));
    merge(&one.declares, &other.declares, Ord::cmp, |name, _| {
        numbers[1] = numbers[1].max(pair.tree.rarity(*name));
    });
    // An import beside the code that needs it, in one file.
    if pair.same_file() && one.kinds.imports != other.kinds.imports {
        let (import, code) = if one.kinds.imports { (one, other) } else { (other, one) };
        let mut best: f32 = 0.0;
        merge(&import.uses, &code.uses, Ord::cmp, |name, _| best = best.max(pair.tree.rarity(*name)));
        numbers[2] = best.max(flag(false));
    }
}

fn reason(pair: &Pair<'_>) -> Option<String> {
    if let Some(name) = declared_and_used(pair).filter(|name| pair.tree.rarity(*name) > 0.3) {
        return Some(format!("one declares `{}` and the other uses it", pair.tree.name(name)));
    }
    contract_link(pair).map(|name| format!("one imports `{name}` from the other's file"))
}

fn declared_and_used(pair: &Pair<'_>) -> Option<u32> {
    let (one, other) = pair.profiles();
    let (forth, back) = (best(pair.tree, one, other), best(pair.tree, other, one));
    match (forth, back) {
        (Some(forth), Some(back)) if pair.tree.rarity(back) > pair.tree.rarity(forth) => Some(back),
        (None, back) => back,
        (forth, _) => forth,
    }
}

/// The rarest name that one declares and the other uses.
fn best(tree: &Tree<'_>, declaring: &Profile, using: &Profile) -> Option<u32> {
    let mut best: Option<u32> = None;
    merge(&declaring.declares, &using.uses, Ord::cmp, |name, _| {
        if best.is_none_or(|best| tree.rarity(*name) > tree.rarity(best)) {
            best = Some(*name);
        }
    });
    best
}

/// What the contracts know: a name that one file declares where it changed and the other file imports.
fn contract_link<'t>(pair: &Pair<'t>) -> Option<&'t str> {
    let (one, other) = pair.places();
    let facts = |path: &str| pair.tree.evidence.contracts.iter().find(|facts| facts.path == path);
    let (one, other) = (facts(&one.text)?, facts(&other.text)?);
    let used = |from: &'t crate::ContractFacts, by: &'t crate::ContractFacts| {
        by.uses
            .iter()
            .find(|used| used.path.as_deref() == Some(from.path.as_str()))
            .map(|used| used.name.as_str())
    };
    used(one, other).or_else(|| used(other, one))
}
