//! Which new file is an old one under another path: by its text, else by what it promises, else by how much of that is
//! the same.

use std::collections::{BTreeMap, BTreeSet};

use crate::model::Contract;

/// New path to old path. Each file is in one pair at most, the surest pairs first.
pub(super) fn pair<'a>(gone: &[&'a Contract], new: &[&'a Contract]) -> BTreeMap<&'a str, &'a str> {
    let mut pairs = BTreeMap::new();
    let mut taken = BTreeSet::new();
    let mut candidates: Vec<(Likeness, &str, &str)> = Vec::new();
    for after in new {
        for before in gone {
            if let Some(likeness) = likeness(before, after) {
                candidates.push((likeness, &after.entry_id, &before.entry_id));
            }
        }
    }
    candidates.sort();
    for (_, after, before) in candidates {
        if !pairs.contains_key(after) && taken.insert(before) {
            pairs.insert(after, before);
        }
    }
    pairs
}

/// The surest first.
#[derive(PartialEq, Eq, PartialOrd, Ord)]
enum Likeness {
    SameText { other_name: bool },
    SamePromise { other_name: bool },
    MostOfIt { percent_lost: usize },
}

fn likeness(before: &Contract, after: &Contract) -> Option<Likeness> {
    let name = |contract: &Contract| contract.entry_id.rsplit('/').next().map(str::to_owned);
    let other_name = name(before) != name(after);
    if !before.file_hash.is_empty() && before.file_hash == after.file_hash {
        return Some(Likeness::SameText { other_name });
    }
    let promises = |contract: &Contract| -> BTreeSet<String> {
        let exported = contract.declarations.iter().filter(|declaration| declaration.exported);
        exported.map(|one| format!("{} {}", one.name, one.signatures.join(" "))).collect()
    };
    let (old, new) = (promises(before), promises(after));
    if old.is_empty() || new.is_empty() || before.kind != after.kind {
        return None;
    }
    if before.semantic_hash == after.semantic_hash {
        return Some(Likeness::SamePromise { other_name });
    }
    let (same, all) = (old.intersection(&new).count(), old.union(&new).count());
    let percent_lost = 100 - same * 100 / all;
    (percent_lost <= 40).then_some(Likeness::MostOfIt { percent_lost })
}
