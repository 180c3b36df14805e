//! Groups of files that need each other, and the files from which everything else can be reached.

use serde::{Deserialize, Serialize};

use super::{EdgeKind, Graph};

/// Files that all need each other.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Cycle {
    /// By path.
    pub files: Vec<String>,
    /// Whether it is one only because of types, which are gone when the code runs.
    pub types_only: bool,
}

impl Graph {
    /// Every cycle, by its first file.
    pub fn cycles(&self) -> Vec<Cycle> {
        let at_run_time = self.components(|kind| kind != EdgeKind::TypeOnly);
        let mut cycles: Vec<Cycle> = self
            .components(|_| true)
            .into_iter()
            .filter(|component| component.len() > 1)
            .map(|mut component| {
                component.sort_unstable();
                let types_only = !at_run_time.iter().any(|inner| {
                    inner.len() > 1 && inner.iter().any(|file| component.binary_search(file).is_ok())
                });
                let files = component.iter().map(|file| self.path(*file).to_owned()).collect();
                Cycle { files, types_only }
            })
            .collect();
        cycles.sort_by(|left, right| left.files.cmp(&right.files));
        cycles
    }

    /// The files that nothing outside their own cycle needs: each alone, or the first of its cycle. By path.
    pub fn roots(&self) -> Vec<usize> {
        let mut roots = Vec::new();
        for mut component in self.components(|_| true) {
            component.sort_unstable();
            let inside = |file: &usize| component.binary_search(file).is_ok();
            let needed = component.iter().any(|file| self.dependents(*file).iter().any(|from| !inside(from)));
            if !needed {
                roots.extend(component.first());
            }
        }
        roots.sort_unstable();
        roots
    }

    /// Strongly connected components (Tarjan), without recursion: a chain of files can be longer than a stack.
    fn components(&self, follow: impl Fn(EdgeKind) -> bool) -> Vec<Vec<usize>> {
        const UNSEEN: usize = usize::MAX;
        let count = self.len();
        let (mut order, mut low) = (vec![UNSEEN; count], vec![0; count]);
        let mut on_stack = vec![false; count];
        let (mut stack, mut components) = (Vec::new(), Vec::new());
        let mut next = 0;
        for start in 0..count {
            if order[start] != UNSEEN {
                continue;
            }
            let mut work = vec![(start, 0)];
            while let Some((file, edge)) = work.pop() {
                if edge == 0 {
                    (order[file], low[file]) = (next, next);
                    next += 1;
                    stack.push(file);
                    on_stack[file] = true;
                }
                let mut descended = false;
                for (at, out) in self.edges(file).iter().enumerate().skip(edge) {
                    if !follow(out.kind) {
                        continue;
                    }
                    if order[out.to] == UNSEEN {
                        work.push((file, at + 1));
                        work.push((out.to, 0));
                        descended = true;
                        break;
                    } else if on_stack[out.to] {
                        low[file] = low[file].min(order[out.to]);
                    }
                }
                if descended {
                    continue;
                }
                if low[file] == order[file] {
                    let mut component = Vec::new();
                    while let Some(member) = stack.pop() {
                        on_stack[member] = false;
                        component.push(member);
                        if member == file {
                            break;
                        }
                    }
                    components.push(component);
                }
                if let Some((parent, _)) = work.last() {
                    low[*parent] = low[*parent].min(low[file]);
                }
            }
        }
        components
    }
}
