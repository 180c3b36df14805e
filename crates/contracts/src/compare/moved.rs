//! Which new file is an old one under another path: by its text, else by what it promises, else by how much of that is
//! the same. Whether who imports it followed is said by `left`.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use super::expand::meant;
use super::left::{self, module};
use super::origins::Origins;
use super::surroundings::{Fit, Surroundings};
use super::{Change, DeclarationChange, Verdict, users_of_file};
use crate::model::{Contract, ContractDeclaration};

/// A name that more files than this export says nothing about which of them one is.
const COMMON: usize = 40;
/// The name of a default export that has none of its own.
const DEFAULT: &str = "default";
/// How much of what a file promises may be gone.
const MOST_LOST: usize = 40;
/// The same where it is still called what it was.
const MOST_LOST_OF_NAMESAKE: usize = 60;

/// New path to old path. Each file is in one pair at most, the surest pairs first; of those that are equally sure the ones that
/// fit to what else moved.
pub(super) fn pair<'a>(gone: &[&'a Contract], new: &[&'a Contract]) -> BTreeMap<&'a str, &'a str> {
    if gone.is_empty() || new.is_empty() {
        return BTreeMap::new();
    }
    let gone: Vec<Known<'a>> = gone.iter().map(|one| Known::of(one)).collect();
    let new: Vec<Known<'a>> = new.iter().map(|one| Known::of(one)).collect();
    let positions = Positions::of(&gone);
    let mut candidates: BTreeSet<Candidate> = BTreeSet::new();
    let held = |now: usize, was: usize| {
        let likeness = likeness(gone.get(was)?, new.get(now)?)?;
        Some(Candidate { likeness, now, was })
    };
    for (now, after) in new.iter().enumerate() {
        candidates.extend(positions.like(after).into_iter().filter_map(|was| held(now, was)));
    }
    let sure = sure(&candidates).into_iter().map(|one| (new[one.now].path(), gone[one.was].path()));
    let surroundings = Surroundings::of(sure);
    // Of very many that are alike only those are held against each other that may have been there.
    let by_path: HashMap<&str, usize> = gone.iter().enumerate().map(|(at, one)| (one.path(), at)).collect();
    for (now, after) in new.iter().enumerate().filter(|(_, after)| positions.is_common(after)) {
        let paths = surroundings.paths_before(after.path());
        let places = paths.iter().filter_map(|path| by_path.get(path.as_str()).copied());
        let places = places.chain(positions.ending_like(after));
        candidates.extend(places.filter_map(|was| held(now, was)));
    }
    let mut ranked: Vec<(Candidate, Fit)> = candidates
        .into_iter()
        .map(|one| {
            let fit = surroundings.fit(new[one.now].path(), gone[one.was].path());
            (one, fit)
        })
        .collect();
    // Both sides are by path.
    ranked.sort_by(|(one, fit), (other, its)| {
        (&one.likeness, fit, one.now, one.was).cmp(&(&other.likeness, its, other.now, other.was))
    });
    let mut pairs = Pairs::default();
    let same_text = ranked.partition_point(|(one, _)| matches!(one.likeness, Likeness::SameText { .. }));
    let same_promise = ranked.partition_point(|(one, _)| !matches!(one.likeness, Likeness::MostOfIt { .. }));
    pairs.extend(&ranked[..same_text]);
    pairs.fill(&gone, &new, |file| &file.contract.file_hash);
    pairs.extend(&ranked[same_text..same_promise]);
    pairs.fill(&gone, &new, |file| if file.promises.is_empty() { "" } else { &file.contract.semantic_hash });
    pairs.extend(&ranked[same_promise..]);
    pairs.by_new.into_iter().map(|(now, was)| (new[now].path(), gone[was].path())).collect()
}

/// Two files, by their positions, that may be one.
#[derive(PartialEq, Eq, PartialOrd, Ord)]
struct Candidate {
    likeness: Likeness,
    now: usize,
    was: usize,
}

/// Those of which neither file is as much like another.
fn sure(candidates: &BTreeSet<Candidate>) -> Vec<&Candidate> {
    // By file how much it is like the one that it is most like, and how many there are of those.
    let best = |of: fn(&Candidate) -> usize| {
        let mut best: HashMap<usize, (&Likeness, usize)> = HashMap::new();
        for one in candidates {
            // They are by likeness.
            let (likeness, count) = best.entry(of(one)).or_insert((&one.likeness, 0));
            *count += usize::from(**likeness == one.likeness);
        }
        best
    };
    let (of_new, of_old) = (best(|one| one.now), best(|one| one.was));
    let is_only = |one: &Candidate, best: Option<&(&Likeness, usize)>| {
        best.is_some_and(|(likeness, count)| *count == 1 && **likeness == one.likeness)
    };
    let sure = candidates
        .iter()
        .filter(|one| is_only(one, of_new.get(&one.now)) && is_only(one, of_old.get(&one.was)));
    sure.collect()
}

#[derive(Default)]
struct Pairs {
    by_new: BTreeMap<usize, usize>,
    taken: BTreeSet<usize>,
}

impl Pairs {
    fn extend(&mut self, ranked: &[(Candidate, Fit)]) {
        for (one, _) in ranked {
            self.add(one.now, one.was);
        }
    }

    fn add(&mut self, now: usize, was: usize) {
        if !self.by_new.contains_key(&now) && self.taken.insert(was) {
            self.by_new.insert(now, was);
        }
    }

    /// Of very many that are the same, and that nothing tells from each other, those first that are called the same.
    fn fill<'k>(
        &mut self,
        gone: &'k [Known<'_>],
        new: &'k [Known<'_>],
        key: impl Fn(&'k Known<'_>) -> &'k str,
    ) {
        for by_name in [true, false] {
            let mut open: HashMap<(&str, &str), Vec<usize>> = HashMap::new();
            let of = |file: &'k Known<'_>| (key(file), if by_name { file.file_name() } else { "" });
            for (at, file) in gone.iter().enumerate().rev() {
                if !key(file).is_empty() && !self.taken.contains(&at) {
                    open.entry(of(file)).or_default().push(at);
                }
            }
            for (now, file) in new.iter().enumerate().filter(|(_, file)| !key(file).is_empty()) {
                if !self.by_new.contains_key(&now) {
                    let was = open.get_mut(&of(file)).and_then(Vec::pop);
                    if let Some(was) = was.filter(|was| likeness(&gone[*was], file).is_some()) {
                        self.add(now, was);
                    }
                }
            }
        }
    }
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
    /// What the file itself calls its default export, with the signature of that under no name.
    default: Option<(&'a str, String)>,
}

impl<'a> Known<'a> {
    fn of(contract: &'a Contract) -> Self {
        let exported = contract.declarations.iter().filter(|declaration| declaration.exported);
        let promises = exported.map(|one| (one.name.as_str(), one.signatures.join(" "))).collect();
        let is_default = |one: &&ContractDeclaration| {
            one.exported && contract.exports.default.as_deref() == Some(one.name.as_str())
        };
        let default = contract.declarations.iter().find(is_default);
        let nameless = |one: &'a ContractDeclaration| {
            let otherwise = || one.signatures.iter().map(|text| one.renamed(text, "")).collect::<Vec<_>>();
            let text = meant(one, true).map_or_else(|| otherwise().join(" "), |(_, text)| text);
            (one.name.as_str(), text)
        };
        Self { contract, promises, default: default.map(nameless) }
    }

    /// The promises, as another file has them under its own names: what a file calls its default export is its own business,
    /// where importers find it under the same path, or one of the two has no name for it.
    fn promises_beside(&self, other: &Self) -> BTreeMap<&str, &str> {
        let mut promises: BTreeMap<&str, &str> =
            self.promises.iter().map(|(name, signature)| (*name, signature.as_str())).collect();
        if let Some(((own, nameless), (others, _))) = self.default.as_ref().zip(other.default.as_ref()) {
            let is_nameless = [own, others].contains(&&DEFAULT);
            if own != others && (is_nameless || self.module() == other.module()) {
                promises.remove(own);
                promises.insert(DEFAULT, nameless);
            }
        }
        promises
    }

    /// The names that it may be known by.
    fn names(&self) -> impl Iterator<Item = &'a str> {
        let default = self.default.as_ref().filter(|(name, _)| *name != DEFAULT).map(|_| DEFAULT);
        self.promises.keys().copied().chain(default)
    }

    fn path(&self) -> &'a str {
        &self.contract.entry_id
    }

    fn module(&self) -> &'a str {
        module(self.path())
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
    /// By what very many are known by, with how the path ends.
    common: HashMap<(&'a str, &'a str), Vec<usize>>,
}

impl<'a> Positions<'a> {
    fn of(files: &[Known<'a>]) -> Self {
        let (by_key, by_export, common) = Default::default();
        let mut positions = Self { by_key, by_export, common };
        for (at, file) in files.iter().enumerate() {
            for key in keys(file) {
                positions.by_key.entry(key).or_default().push(at);
            }
            for name in file.names() {
                positions.by_export.entry(name).or_default().push(at);
            }
        }
        for (at, file) in files.iter().enumerate() {
            for key in keys(file).into_iter().filter(|key| positions.is_common_key(key)).collect::<Vec<_>>() {
                for ending in endings(file.path()) {
                    positions.common.entry((key, ending)).or_default().push(at);
                }
            }
        }
        positions
    }

    fn like(&self, file: &Known<'_>) -> BTreeSet<usize> {
        let alike = keys(file).into_iter().filter_map(|key| self.by_key.get(key));
        let exporting = file.names().filter_map(|name| self.by_export.get(name));
        alike.chain(exporting).filter(|files| files.len() <= COMMON).flatten().copied().collect()
    }

    /// Whether too many are like it to be held against it one by one.
    fn is_common(&self, file: &Known<'_>) -> bool {
        keys(file).iter().any(|key| self.is_common_key(key))
    }

    fn is_common_key(&self, key: &str) -> bool {
        self.by_key.get(key).is_some_and(|files| files.len() > COMMON)
    }

    /// Of those the ones whose paths end as its own does, as far as possible.
    fn ending_like(&self, file: &Known<'_>) -> impl Iterator<Item = usize> {
        let longest = |key| endings(file.path()).find_map(|ending| self.common.get(&(key, ending)));
        let found = keys(file).into_iter().filter_map(longest).filter(|files| files.len() <= COMMON);
        found.flatten().copied().collect::<Vec<_>>().into_iter()
    }
}

/// How a path ends, with at least a folder and the longest first.
fn endings(path: &str) -> impl Iterator<Item = &str> {
    let starts = path.match_indices('/').map(|(at, _)| at + 1);
    let all = std::iter::once(0).chain(starts).filter_map(|start| path.get(start..));
    all.filter(|ending| ending.contains('/'))
}

/// What a file is known by, as far as it tells it from others.
fn keys<'a>(file: &Known<'a>) -> Vec<&'a str> {
    // All files that promise nothing promise the same.
    let promise = if file.promises.is_empty() { "" } else { &*file.contract.semantic_hash };
    let keys = [&*file.contract.file_hash, promise, file.module()];
    keys.into_iter().filter(|key| !key.is_empty()).collect()
}

/// The surest first.
#[derive(PartialEq, Eq, PartialOrd, Ord)]
enum Likeness {
    SameText { other_module: bool, other_name: bool },
    SameModule,
    SamePromise { other_name: bool },
    MostOfIt { percent_lost: usize },
}

fn likeness(before: &Known<'_>, after: &Known<'_>) -> Option<Likeness> {
    let other_name = before.file_name() != after.file_name();
    let (old, new) = (before.contract, after.contract);
    if !old.file_hash.is_empty() && old.file_hash == new.file_hash {
        let other_module = before.module() != after.module();
        return Some(Likeness::SameText { other_module, other_name });
    }
    // Importers find it where it was, whatever became of it; but for one that only passes on what moved elsewhere.
    let (was, is) = (before.promises_beside(after), after.promises_beside(before));
    if before.module() == after.module() && was.keys().any(|name| is.contains_key(name)) {
        return Some(Likeness::SameModule);
    }
    if was.is_empty() || is.is_empty() || old.kind != new.kind {
        return None;
    }
    if old.semantic_hash == new.semantic_hash {
        return Some(Likeness::SamePromise { other_name });
    }
    // What is exported under the same name, and looks otherwise now, is half the same.
    let same: usize =
        was.iter().filter_map(|(name, signature)| Some(if is.get(name)? == signature { 2 } else { 1 })).sum();
    let names: BTreeSet<&&str> = was.keys().chain(is.keys()).collect();
    let percent_lost = 100 - same * 50 / names.len();
    let bound = if other_name { MOST_LOST } else { MOST_LOST_OF_NAMESAKE };
    (percent_lost <= bound).then_some(Likeness::MostOfIt { percent_lost })
}
