//! From a look at the tree to the index: reads what is not known, resolves what may lead elsewhere now, and makes the
//! contracts of everything that this can reach.

use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

use becket_contracts::fingerprint;
use becket_contracts::graph::{Graph, Member};
use becket_contracts::link::{Lookup, link};
use becket_contracts::model::{Contract, ExportOrigin, LocalFacts};
use becket_contracts::target::Target;
use rayon::prelude::*;

use super::known::Known;
use super::local::{Key, Local, threads};
use super::pack::Pack;
use super::{Index, IndexedFile, Work};
use crate::resolve::{Contents, Modules, Resolver};
use crate::walk::{Found, Role, WalkProblem, Walked};

type Targets = Arc<BTreeMap<String, Target>>;

pub(super) fn build(
    walked: Walked,
    taken: i64,
    contents: &dyn Contents,
    known: Option<&Known>,
    pack: &mut Pack,
    previous: Option<&Index>,
) -> Index {
    match threads() {
        Some(pool) => pool.install(|| build_here(walked, taken, contents, known, pack, previous)),
        None => build_here(walked, taken, contents, known, pack, previous),
    }
}

fn build_here(
    walked: Walked,
    taken: i64,
    contents: &dyn Contents,
    known: Option<&Known>,
    pack: &mut Pack,
    previous: Option<&Index>,
) -> Index {
    let mut work = Work { repaired: pack.damaged, ..Work::default() };
    let mut problems = walked.problems.clone();
    let mut keys: Vec<Option<Key>> = vec![None; walked.files.len()];
    let sources: Vec<(usize, &Found)> =
        walked.files.iter().enumerate().filter(|(_, file)| file.role == Role::Source).collect();
    let read: Vec<Option<(Arc<Local>, Effort)>> =
        sources.par_iter().map(|(_, file)| local_of(file, contents, known, pack, previous)).collect();
    let mut files: Vec<(&str, Arc<Local>)> = Vec::with_capacity(sources.len());
    for ((at, file), read) in sources.iter().zip(read) {
        let Some((local, effort)) = read else {
            let message = "it could not be read".to_owned();
            problems.push(WalkProblem { path: file.path.clone(), message });
            continue;
        };
        work.read += usize::from(effort >= Effort::Read);
        work.parsed += usize::from(effort == Effort::Parsed);
        if effort == Effort::Parsed {
            pack.add(&local);
        }
        keys[*at] = Some(local.key);
        files.push((file.path.as_str(), local));
    }

    let resolver = resolver_for(&walked, contents, previous);
    let same_names = previous.is_some_and(|previous| Arc::ptr_eq(&previous.resolver, &resolver));
    let targets: Vec<Targets> = files
        .par_iter()
        .map(|(path, local)| {
            let old = previous.and_then(|previous| previous.file(path));
            match old {
                Some(old) if same_names && Arc::ptr_eq(&old.local, local) => Arc::clone(&old.targets),
                _ => targets_of(&resolver, path, &local.facts),
            }
        })
        .collect();

    let members: Vec<Member<'_>> = files
        .iter()
        .zip(&targets)
        .map(|((path, local), targets)| Member { path, facts: &local.facts, targets })
        .collect();
    let graph = Graph::new(&members);
    let dirty = dirty(&files, &targets, &graph, previous);
    let tree = Linking {
        positions: files.iter().enumerate().map(|(at, (path, _))| (*path, at)).collect(),
        members: &members,
    };
    let contracts: Vec<Arc<Contract>> = (0..files.len())
        .into_par_iter()
        .map(|at| {
            let (path, local) = &files[at];
            let kept = previous.filter(|_| !dirty[at]).and_then(|previous| previous.file(path));
            kept.map_or_else(|| Arc::new(contract_of(path, local, &tree)), |file| Arc::clone(&file.contract))
        })
        .collect();
    work.linked = dirty.iter().filter(|dirty| **dirty).count();

    let files: Vec<IndexedFile> = files
        .iter()
        .zip(&targets)
        .zip(contracts)
        .map(|(((path, local), targets), contract)| IndexedFile {
            path: (*path).to_owned(),
            local: Arc::clone(local),
            targets: Arc::clone(targets),
            contract,
        })
        .collect();
    problems.sort();
    Index { files, graph, problems, known: Known { walked, keys, taken }, resolver, work }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Effort {
    Remembered,
    Read,
    Parsed,
}

fn local_of(
    file: &Found,
    contents: &dyn Contents,
    known: Option<&Known>,
    pack: &Pack,
    previous: Option<&Index>,
) -> Option<(Arc<Local>, Effort)> {
    let old = previous.and_then(|previous| previous.file(&file.path));
    let remembered = |key: Key, effort: Effort| {
        if let Some(old) = old.filter(|old| old.local.key == key) {
            return Some((Arc::clone(&old.local), effort));
        }
        pack.get(key).map(|local| (Arc::new(local), effort))
    };
    if let Some(found) =
        known.and_then(|known| known.key(file)).and_then(|key| remembered(key, Effort::Remembered))
    {
        return Some(found);
    }
    let bytes = contents.read(&file.path)?;
    let key = Key::of(&file.path, &bytes);
    remembered(key, Effort::Read)
        .or_else(|| Some((Arc::new(Local::parse(&file.path, key, &bytes)), Effort::Parsed)))
}

/// The one of before where neither a name nor a file that decides resolution has changed.
fn resolver_for(walked: &Walked, contents: &dyn Contents, previous: Option<&Index>) -> Arc<Resolver> {
    let kept = previous.filter(|previous| {
        let known = &previous.known;
        known.walked.files.len() == walked.files.len()
            && known.walked.files.iter().zip(&walked.files).all(|(old, new)| {
                let decides = new.role == Role::Control;
                old.path == new.path
                    && old.role == new.role
                    && (!decides || (old.stamp == new.stamp && known.trusts(new.stamp)))
            })
    });
    match kept {
        Some(previous) => Arc::clone(&previous.resolver),
        None => Arc::new(Resolver::new(Modules::new(&walked.files), contents)),
    }
}

fn targets_of(resolver: &Resolver, path: &str, facts: &LocalFacts) -> Targets {
    let mut targets = BTreeMap::new();
    let exported = facts.exports.iter().filter_map(|export| match &export.origin {
        ExportOrigin::Module { specifier, .. } => Some(specifier),
        ExportOrigin::Local(_) => None,
    });
    for specifier in facts.imports.iter().map(|import| &import.specifier).chain(exported) {
        if !targets.contains_key(specifier) {
            targets.insert(specifier.clone(), resolver.resolve(path, specifier));
        }
    }
    Arc::new(targets)
}

/// What has to be made again: a file that says or reaches something else, and everything that imports it, however far.
fn dirty(
    files: &[(&str, Arc<Local>)],
    targets: &[Targets],
    graph: &Graph,
    previous: Option<&Index>,
) -> Vec<bool> {
    let Some(previous) = previous else { return vec![true; files.len()] };
    let mut dirty = vec![false; files.len()];
    let mut queue = Vec::new();
    for (at, (path, local)) in files.iter().enumerate() {
        let same = previous
            .file(path)
            .is_some_and(|old| Arc::ptr_eq(&old.local, local) && old.targets == targets[at]);
        if !same {
            dirty[at] = true;
            queue.push(at);
        }
    }
    while let Some(at) = queue.pop() {
        for from in graph.dependents(at) {
            if !dirty[*from] {
                dirty[*from] = true;
                queue.push(*from);
            }
        }
    }
    dirty
}

fn contract_of(path: &str, local: &Local, tree: &Linking<'_>) -> Contract {
    let mut contract = link(path, &local.facts, tree).contract;
    contract.file_hash.clone_from(&local.file_hash);
    contract.semantic_hash = fingerprint::semantic_hash(&contract);
    contract
}

/// The files as the linker asks for them.
struct Linking<'a> {
    positions: HashMap<&'a str, usize>,
    members: &'a [Member<'a>],
}

impl Lookup for Linking<'_> {
    fn resolve(&self, from: &str, specifier: &str) -> Option<(&str, &LocalFacts)> {
        let from = self.members.get(*self.positions.get(from)?)?;
        let path = from.targets.get(specifier)?.file()?;
        let found = self.members.get(*self.positions.get(path)?)?;
        Some((found.path, found.facts))
    }
}
