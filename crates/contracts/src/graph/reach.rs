//! Who feels a change: the files that need a file or one of its exports, directly or through others.

use std::collections::{BTreeMap, VecDeque};

use serde::Serialize;

use super::{EdgeKind, Graph};

/// Who depends on a file or an export.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Impact {
    /// Nearest first, then by path.
    pub dependents: Vec<Dependent>,
    /// How many there are in all.
    pub total: usize,
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
    /// Everything that depends on `file`, or on its export `name`, at most `depth` steps away (at least one), and at most
    /// `limit` of it.
    pub fn impact(&self, file: usize, name: Option<&str>, depth: usize, limit: usize) -> Impact {
        let mut found: BTreeMap<usize, (usize, usize)> = BTreeMap::new();
        let mut queue = VecDeque::new();
        for from in self.users_of(file, name) {
            found.insert(from, (1, file));
            queue.push_back(from);
        }
        while let Some(here) = queue.pop_front() {
            let distance = found.get(&here).map_or(1, |(distance, _)| *distance);
            if distance >= depth {
                continue;
            }
            for from in self.dependents(here) {
                if *from != file && !found.contains_key(from) {
                    found.insert(*from, (distance + 1, here));
                    queue.push_back(*from);
                }
            }
        }
        let mut dependents: Vec<Dependent> = found
            .iter()
            .filter_map(|(from, (distance, via))| {
                let edge = self.edges(*from).iter().find(|edge| edge.to == *via)?;
                Some(Dependent {
                    path: self.path(*from).to_owned(),
                    distance: *distance,
                    via: self.path(*via).to_owned(),
                    kind: edge.kind,
                    names: edge.names.iter().map(str::to_owned).collect(),
                })
            })
            .collect();
        dependents.sort_by(|left, right| (left.distance, &left.path).cmp(&(right.distance, &right.path)));
        let total = dependents.len();
        dependents.truncate(limit);
        Impact { dependents, total }
    }
}
