//! Two units inside one function, type or chapter, or one that uses what the other stands in.

use crate::signal::{Pair, Signal, flag};

pub(super) const SIGNAL: Signal = Signal {
    name: "declaration",
    features: &["same_declaration", "declaration_known", "same_declaration_name", "uses_enclosing"],
    measure,
    reason,
};

fn measure(pair: &Pair<'_>, numbers: &mut [f32]) {
    let (one, other) = pair.profiles();
    numbers[0] = flag(same(pair));
    numbers[1] = flag(one.enclosing.is_some() && other.enclosing.is_some());
    numbers[2] = flag(one.enclosing_name.is_some() && one.enclosing_name == other.enclosing_name);
    for (holder, user) in [(one, other), (other, one)] {
        if let Some(name) = holder.enclosing_name {
            if user.uses.binary_search(&name).is_ok() || user.declares.binary_search(&name).is_ok() {
                numbers[3] = numbers[3].max(pair.tree.rarity(name));
            }
        }
    }
}

fn reason(pair: &Pair<'_>) -> Option<String> {
    same(pair).then(|| match pair.profiles().0.enclosing_name {
        Some(name) => format!("both are inside `{}`", pair.tree.name(name)),
        None => "both are inside the same declaration".to_owned(),
    })
}

fn same(pair: &Pair<'_>) -> bool {
    let (one, other) = pair.profiles();
    one.enclosing.is_some() && one.enclosing == other.enclosing
}
