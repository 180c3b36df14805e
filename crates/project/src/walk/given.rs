//! The same decision over a list of paths instead of a disk: a commit in Git is looked at without a checkout.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, Mutex, PoisonError};

use becket_base::divided;

use super::rules::{Hidden, Rules, Tests, role_of};
use super::{Found, Link, Stamp, WalkProblem, Walked};

/// What [`super::walk`] would find, were `paths` (each with its size) a tree on the disk, with `links` in it. `read` gives
/// the content of a path of the list.
pub fn from_paths<'a>(
    paths: impl Iterator<Item = (&'a str, u64)>,
    links: &[Link],
    tests: Tests,
    read: impl Fn(&str) -> Option<Vec<u8>>,
) -> Walked {
    let sizes: BTreeMap<&str, u64> = paths.collect();
    let mut files = Vec::new();
    let mut folders: BTreeMap<String, Option<Arc<Rules>>> = BTreeMap::new();
    let mut problems = BTreeSet::new();
    let has = |path: &str| sizes.contains_key(path);
    let mut rules_around = |folder: &str| {
        let read = |path: &str| has(path).then(|| read(path)).flatten();
        rules_of(folder, tests, Hidden::LeftOut, &mut folders, &mut problems, &read)
    };
    for (path, size) in &sizes {
        let (folder, name) = divided::around_last(path, b'/').unwrap_or(("", path));
        if rules_around(folder).is_some_and(|rules| rules.lists(path, name)) {
            let role = role_of(path, *size, tests);
            files.push(Found { path: Arc::from(*path), role, stamp: Stamp::default() });
        }
    }
    let mut links = links.to_vec();
    links.sort();
    links.retain(|Link { path, .. }| {
        let (folder, name) = divided::around_last(path, b'/').unwrap_or(("", path));
        rules_around(folder).is_some_and(|rules| rules.knows_link(path, name))
    });
    Walked { files: files.into(), links, problems: problems.into_iter().collect(), ..Walked::default() }
}

/// What the rules of a tree keep from being listed, whether it is there or not. Rules are made when first asked for.
#[derive(Debug, Default)]
pub(crate) struct Ignored {
    /// Rule files by path.
    texts: BTreeMap<String, Vec<u8>>,
    hidden: Hidden,
    folders: Mutex<BTreeMap<String, Option<Arc<Rules>>>>,
}

impl Ignored {
    pub(crate) fn by(texts: BTreeMap<String, Vec<u8>>) -> Self {
        Self { texts, ..Self::default() }
    }

    /// Without what only begins with a dot.
    pub(crate) fn with_hidden(texts: BTreeMap<String, Vec<u8>>) -> Self {
        Self { texts, hidden: Hidden::Included, ..Self::default() }
    }

    /// Whether there are any.
    pub(crate) fn is_empty(&self) -> bool {
        self.texts.is_empty()
    }

    /// Those inside a folder; `None` where nothing in it is listed.
    pub(crate) fn inside(&self, folder: &str) -> Option<Arc<Rules>> {
        let mut folders = self.folders.lock().unwrap_or_else(PoisonError::into_inner);
        let read = |path: &str| self.texts.get(path).cloned();
        rules_of(folder, Tests::Included, self.hidden, &mut folders, &mut BTreeSet::new(), &read)
    }
}

/// The rules inside a folder; `None` where it is not entered.
fn rules_of(
    folder: &str,
    tests: Tests,
    hidden: Hidden,
    known: &mut BTreeMap<String, Option<Arc<Rules>>>,
    problems: &mut BTreeSet<WalkProblem>,
    read: &impl Fn(&str) -> Option<Vec<u8>>,
) -> Option<Arc<Rules>> {
    if let Some(rules) = known.get(folder) {
        return rules.clone();
    }
    let around = if folder.is_empty() {
        Some(Arc::new(Rules::start(tests).with(hidden)))
    } else {
        let (parent, name) = divided::around_last(folder, b'/').unwrap_or(("", folder));
        rules_of(parent, tests, hidden, known, problems, read).filter(|rules| rules.enters(folder, name))
    };
    let rules = around.map(|around| {
        let inside =
            |name: &str| if folder.is_empty() { name.to_owned() } else { format!("{folder}/{name}") };
        let (rules, found) = around.in_folder(folder, |name| read(&inside(name)));
        problems.extend(found.into_iter().map(WalkProblem::from));
        rules
    });
    known.insert(folder.to_owned(), rules.clone());
    rules
}
