//! One unit declares a name, the other uses it: in another file or further down in the same one. Contracts, where there are
//! any, know names that are imported under another one, and names that only look alike.

use crate::change::symbol;
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
    let link = link(pair).filter(|link| link.imported || pair.tree.rarity(link.name) > 0.3)?;
    let name = pair.tree.name(link.name);
    Some(if link.imported {
        format!("one declares `{name}` and the other imports it")
    } else {
        format!("one declares `{name}` and the other uses it")
    })
}

fn declared_and_used(pair: &Pair<'_>) -> Option<u32> {
    link(pair).map(|link| link.name)
}

#[derive(Clone, Copy)]
struct Link {
    name: u32,
    /// Whether the contracts say so, and not the name alone.
    imported: bool,
}

/// The rarest name that one unit declares and the other uses, in either direction.
fn link(pair: &Pair<'_>) -> Option<Link> {
    let (one, other) = pair.profiles();
    let (first, second) = pair.places();
    let forth = best(pair.tree, (one, &first.text), other);
    let back = best(pair.tree, (other, &second.text), one);
    match (forth, back) {
        (Some(forth), Some(back)) if pair.tree.rarity(back.name) > pair.tree.rarity(forth.name) => Some(back),
        (None, back) => back,
        (forth, _) => forth,
    }
}

/// By its name alone, unless contracts know that the name means something else there; and by what contracts know.
fn best(tree: &Tree<'_>, (declaring, path): (&Profile, &str), using: &Profile) -> Option<Link> {
    let mut best: Option<Link> = None;
    let mut take = |found: Link| {
        if best.is_none_or(|best| tree.rarity(found.name) > tree.rarity(best.name)) {
            best = Some(found);
        }
    };
    for meaning in &using.meanings {
        if using.place != declaring.place && declaring.defines.binary_search(&meaning.symbol).is_ok() {
            take(Link { name: meaning.declared, imported: true });
        }
    }
    merge(&declaring.declares, &using.uses, Ord::cmp, |name, _| {
        let known = using.meanings.partition_point(|meaning| meaning.name < *name);
        let mut meant = using.meanings[known..].iter().take_while(|meaning| meaning.name == *name).peekable();
        let wanted = symbol(path, tree.name(*name));
        if meant.peek().is_none() || meant.any(|meaning| meaning.symbol == wanted) {
            take(Link { name: *name, imported: false });
        }
    });
    best
}
