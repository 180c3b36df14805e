//! Who feels a change: the files that need a file or one of its exports, directly or through others.

use std::collections::btree_map::Entry;
use std::collections::{BTreeMap, BTreeSet, VecDeque};

use serde::Serialize;

use super::{EdgeKind, Graph};

/// What one file does with what another exports under a name.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Taken {
    /// The names under which it hands it on.
    pub on: Vec<String>,
    /// Whether it imports it for itself.
    pub itself: bool,
}

/// By the two files and the name.
pub type HandedOn<'a> = &'a dyn Fn(usize, usize, &str) -> Taken;

/// How a file was reached.
struct Felt {
    distance: usize,
    via: usize,
    /// What of it is another now; `None` for all.
    names: Option<BTreeSet<String>>,
}

/// One file that feels a change.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, schemars::JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Dependent {
    pub path: String,
    /// 1 for a file that imports it itself.
    pub distance: usize,
    /// The file by which it depends: the changed one, or a dependent of it.
    pub via: String,
    pub kind: EdgeKind,
    /// The names that it takes from there.
    pub names: Vec<String>,
}

impl Graph {
    /// Everything that needs a file itself, by path.
    pub fn direct(&self, file: usize) -> Vec<Dependent> {
        let others = self.dependents(file).iter().filter(|from| **from != file);
        others.filter_map(|from| self.dependent(*from, file, 1)).collect()
    }

    fn dependent(&self, from: usize, via: usize, distance: usize) -> Option<Dependent> {
        let edge = self.edges(from).iter().find(|edge| edge.to == via)?;
        Some(Dependent {
            path: self.path(from).to_owned(),
            distance,
            via: self.path(via).to_owned(),
            kind: edge.kind,
            names: edge.names.iter().map(str::to_owned).collect(),
        })
    }

    /// Everything that depends on `file`, or on some of its exports, nearest first, then by path. A barrel hands on those
    /// exports alone; whoever uses it otherwise may be another as a whole.
    pub fn impact(&self, file: usize, exports: Option<(&BTreeSet<String>, HandedOn<'_>)>) -> Vec<Dependent> {
        let mut found: BTreeMap<usize, Felt> = BTreeMap::new();
        let names = exports.map(|(names, _)| names.clone());
        let mut queue = VecDeque::from([(file, 0, names)]);
        while let Some((here, distance, names)) = queue.pop_front() {
            for from in self.dependents(here).iter().copied().filter(|from| *from != file) {
                let Some(edge) = self.edges(from).iter().find(|edge| edge.to == here) else { continue };
                let next = match (&names, exports) {
                    (Some(names), Some((_, handed_on))) => {
                        let taken = names.iter().filter(|name| edge.takes(name));
                        if edge.through.is_some() {
                            // What is handed on comes by the barrel that it came through.
                            let itself = edge.kind != EdgeKind::ReExport && taken.count() > 0;
                            itself.then_some(None)
                        } else {
                            let all: Vec<Taken> = taken.map(|name| handed_on(from, here, name)).collect();
                            // It may hand on one name, and use another one itself.
                            let itself = |one: &Taken| one.itself || (!edge.handed_on && one.on.is_empty());
                            let is_whole = all.iter().any(itself);
                            let on: BTreeSet<String> = all.into_iter().flat_map(|one| one.on).collect();
                            if is_whole { Some(None) } else { (!on.is_empty()).then_some(Some(on)) }
                        }
                    }
                    _ => Some(None),
                };
                let Some(next) = next else { continue };
                match found.entry(from) {
                    Entry::Vacant(place) => {
                        place.insert(Felt { distance: distance + 1, via: here, names: next.clone() });
                        queue.push_back((from, distance + 1, next));
                    }
                    Entry::Occupied(mut place) => {
                        let felt = place.get_mut();
                        let more = match (&mut felt.names, next) {
                            (None, _) => continue,
                            (Some(_), None) => None,
                            (Some(known), Some(names)) => {
                                let new: BTreeSet<String> = names.difference(known).cloned().collect();
                                if new.is_empty() {
                                    continue;
                                }
                                known.extend(new.iter().cloned());
                                Some(new)
                            }
                        };
                        if more.is_none() {
                            felt.names = None;
                        }
                        queue.push_back((from, felt.distance, more));
                    }
                }
            }
        }
        let felt = |(from, felt): (&usize, &Felt)| self.dependent(*from, felt.via, felt.distance);
        let mut dependents: Vec<Dependent> = found.iter().filter_map(felt).collect();
        dependents.sort_by(|left, right| (left.distance, &left.path).cmp(&(right.distance, &right.path)));
        dependents
    }
}
