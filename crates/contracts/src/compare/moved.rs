//! Which new file is an old one under another path: by its text, else by what it promises, else by how much of that is
//! the same. Whether who imports it followed is said by `left`.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use super::left::{self, module};
use super::origins::Origins;
use super::{Change, DeclarationChange, Verdict, users_of_file};
use crate::model::Contract;

/// A name that more files than this export says nothing about which of them one is.
const COMMON: usize = 40;
/// How much of what a file promises may be gone.
const MOST_LOST: usize = 40;
/// The same where it is still called what it was.
const MOST_LOST_OF_NAMESAKE: usize = 60;

/// New path to old path. Each file is in one pair at most, the surest pairs first.
pub(super) fn pair<'a>(gone: &[&'a Contract], new: &[&'a Contract]) -> BTreeMap<&'a str, &'a str> {
    let mut pairs = BTreeMap::new();
    if gone.is_empty() || new.is_empty() {
        return pairs;
    }
    let gone: Vec<Known<'a>> = gone.iter().map(|one| Known::of(one)).collect();
    let by_key = Positions::of(&gone);
    let mut candidates: Vec<(Likeness, &str, &str)> = Vec::new();
    for after in new.iter().map(|one| Known::of(one)) {
        for before in by_key.like(&after).into_iter().filter_map(|at| gone.get(at)) {
            if let Some(likeness) = likeness(before, &after) {
                candidates.push((likeness, &after.contract.entry_id, &before.contract.entry_id));
            }
        }
    }
    candidates.sort();
    let mut taken = BTreeSet::new();
    for (_, after, before) in candidates {
        if !pairs.contains_key(after) && taken.insert(before) {
            pairs.insert(after, before);
        }
    }
    pairs
}

/// That a file is elsewhere now.
pub(super) fn change(origins: &Origins<'_, '_>, old: &Contract, new: &Contract) -> DeclarationChange {
    let left = left::behind(origins, &old.entry_id, &new.entry_id);
    let (verdict, used_by) = if left.is_empty() {
        let users = users_of_file(origins.before, &old.entry_id);
        (if users.is_empty() { Verdict::Internal } else { Verdict::Compatible }, users)
    } else {
        (Verdict::Breaking, left)
    };
    let reason = if verdict == Verdict::Breaking {
        "the file moved, and who imports it did not follow"
    } else if module(&old.entry_id) == module(&new.entry_id) {
        "its name ends otherwise; who imports it without the ending finds it"
    } else {
        "the file moved; importers have to follow"
    };
    DeclarationChange {
        name: new.entry_id.clone(),
        kind: "file".to_owned(),
        change: Change::Moved,
        before: vec![old.entry_id.clone()],
        after: vec![new.entry_id.clone()],
        verdict,
        reason: reason.to_owned(),
        used_by,
    }
}

/// A file with what it is known by.
struct Known<'a> {
    contract: &'a Contract,
    /// Exported names with their signatures.
    promises: BTreeMap<&'a str, String>,
}

impl<'a> Known<'a> {
    fn of(contract: &'a Contract) -> Self {
        let exported = contract.declarations.iter().filter(|declaration| declaration.exported);
        let promises = exported.map(|one| (one.name.as_str(), one.signatures.join(" "))).collect();
        Self { contract, promises }
    }

    fn module(&self) -> &'a str {
        module(&self.contract.entry_id)
    }

    fn file_name(&self) -> &'a str {
        self.contract.entry_id.rsplit('/').next().unwrap_or_default()
    }
}

/// Files by everything that can make them alike, so that not each is held against each.
struct Positions<'a> {
    /// By hashes, and by what importers call it.
    by_key: HashMap<&'a str, Vec<usize>>,
    by_export: HashMap<&'a str, Vec<usize>>,
}

impl<'a> Positions<'a> {
    fn of(files: &[Known<'a>]) -> Self {
        let mut positions = Self { by_key: HashMap::new(), by_export: HashMap::new() };
        for (at, file) in files.iter().enumerate() {
            let hashes = [&file.contract.file_hash, &file.contract.semantic_hash];
            for key in hashes.map(String::as_str).into_iter().chain([file.module()]) {
                positions.by_key.entry(key).or_default().push(at);
            }
            for name in file.promises.keys() {
                positions.by_export.entry(name).or_default().push(at);
            }
        }
        positions
    }

    fn like(&self, file: &Known<'_>) -> BTreeSet<usize> {
        let keys = [file.contract.file_hash.as_str(), file.contract.semantic_hash.as_str(), file.module()];
        let alike =
            keys.iter().filter(|key| !key.is_empty()).filter_map(|key| self.by_key.get(key)).flatten();
        let exporting = file.promises.keys().filter_map(|name| self.by_export.get(name));
        let exporting = exporting.filter(|files| files.len() <= COMMON).flatten();
        alike.chain(exporting).copied().collect()
    }
}

/// The surest first.
#[derive(PartialEq, Eq, PartialOrd, Ord)]
enum Likeness {
    SameText { other_name: bool },
    SameModule,
    SamePromise { other_name: bool },
    MostOfIt { percent_lost: usize },
}

fn likeness(before: &Known<'_>, after: &Known<'_>) -> Option<Likeness> {
    let other_name = before.file_name() != after.file_name();
    let (old, new) = (before.contract, after.contract);
    if !old.file_hash.is_empty() && old.file_hash == new.file_hash {
        return Some(Likeness::SameText { other_name });
    }
    // Importers find it where it was, whatever became of it; but for one that only passes on what moved elsewhere.
    if before.module() == after.module()
        && before.promises.keys().any(|name| after.promises.contains_key(name))
    {
        return Some(Likeness::SameModule);
    }
    if before.promises.is_empty() || after.promises.is_empty() || old.kind != new.kind {
        return None;
    }
    if old.semantic_hash == new.semantic_hash {
        return Some(Likeness::SamePromise { other_name });
    }
    // What is exported under the same name, and looks otherwise now, is half the same.
    let same: usize = before
        .promises
        .iter()
        .filter_map(|(name, signature)| Some(if after.promises.get(name)? == signature { 2 } else { 1 }))
        .sum();
    let names: BTreeSet<&&str> = before.promises.keys().chain(after.promises.keys()).collect();
    let percent_lost = 100 - same * 50 / names.len();
    let bound = if other_name { MOST_LOST } else { MOST_LOST_OF_NAMESAKE };
    (percent_lost <= bound).then_some(Likeness::MostOfIt { percent_lost })
}
