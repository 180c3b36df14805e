//! Where the routes of a file are reachable: the one part of a contract that hangs on who imports the file. Each file keeps
//! what it mounts of others; whoever is mounted, or was, gets his paths anew when one of those lists may be another.
//!
//! Whoever mounts a router has looked at it, so the files that it rests on are the way back.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use becket_contracts::link::{Handed, place};

use super::build::kept_linked;
use super::file::IndexedFile;
use super::kept::Linked;
use super::{Index, Parts};

/// By the files that are mounted, each with the file that mounts them.
type Ways<'a> = BTreeMap<&'a str, Vec<(&'a str, &'a Handed)>>;

/// In a tree that was looked at as a whole.
pub(super) fn all(files: &mut [Arc<IndexedFile>], previous: Option<&Index>) {
    let files_before: Vec<Arc<IndexedFile>> =
        files.iter().filter(|file| !file.linked().handed.is_empty()).map(Arc::clone).collect();
    let ways = ways(files_before.iter());
    for file in files {
        if !file.contract().routes.is_empty() {
            let old = previous.and_then(|previous| previous.file(&file.path));
            if let Some(placed) = placed(file, &ways, old) {
                *file = Arc::new(placed);
            }
        }
    }
}

/// After a step: `made` are the files that were made anew, by their places.
pub(super) fn again(previous: &Parts<Arc<IndexedFile>>, made: &mut BTreeMap<usize, Arc<IndexedFile>>) {
    let at = |path: &str| previous.binary_search_by(|file| (*file.path).cmp(path)).ok();
    let mut affected: BTreeSet<usize> = BTreeSet::new();
    for (place, file) in &*made {
        let (new, old) = (file.linked(), previous[*place].linked());
        let handed = new.handed.iter().chain(&old.handed);
        affected.extend(handed.flat_map(Handed::told_in).filter_map(at));
        if !new.contract.routes.is_empty() {
            affected.insert(*place);
        }
    }
    if affected.is_empty() {
        return;
    }
    let now = |place: usize| made.get(&place).unwrap_or(&previous[place]);
    let rests =
        |file: &IndexedFile| file.rests_on.followed().iter().any(|at| affected.contains(&(*at as usize)));
    let ways = ways((0..previous.len()).map(now).filter(|file| rests(file)));
    let placed: Vec<(usize, Arc<IndexedFile>)> = affected
        .iter()
        .filter_map(|at| Some((*at, Arc::new(placed(now(*at), &ways, previous.get(*at).map(|old| &**old))?))))
        .collect();
    made.extend(placed);
}

fn ways<'a>(files: impl Iterator<Item = &'a Arc<IndexedFile>>) -> Ways<'a> {
    let mut ways = Ways::new();
    for file in files {
        for handed in &file.linked().handed {
            for told in handed.told_in() {
                ways.entry(told).or_default().push((&file.path, handed));
            }
        }
    }
    ways
}

/// The file with its paths; `None` where it has them.
fn placed(file: &IndexedFile, ways: &Ways<'_>, old: Option<&IndexedFile>) -> Option<IndexedFile> {
    let linked = file.linked();
    let mut contract = linked.contract.clone();
    place(&mut contract, ways.get(&*file.path).map(Vec::as_slice).unwrap_or_default());
    if contract.routes == linked.contract.routes {
        return None;
    }
    let linked = Linked { contract, targets: linked.targets.clone(), handed: linked.handed.clone() };
    Some(file.promising(kept_linked(linked, old)))
}
