//! Groups of files that need each other, and the files from which everything else can be reached.

use serde::{Deserialize, Serialize};

use super::{Edge, EdgeKind, Graph, is_declaration, is_twin};

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
        let twin = |from: usize, edge: &Edge| is_twin(self.path(from), self.path(edge.to));
        // Of a declaration file there is only what it stands for.
        let runs = |from, edge: &Edge| {
            if is_declaration(self.path(from)) { twin(from, edge) } else { edge.kind != EdgeKind::TypeOnly }
        };
        let at_run_time = self.components(runs);
        // What stands for a file needs nothing of it.
        let as_written = self.components(|from, edge| !twin(from, edge));
        let in_part = |component: &[usize], parts: &[Vec<usize>]| {
            let inside = |file: &usize| component.binary_search(file).is_ok();
            parts.iter().any(|part| part.len() > 1 && part.iter().any(inside))
        };
        let mut cycles: Vec<Cycle> = self
            .components(|_, _| true)
            .into_iter()
            .filter(|component| component.len() > 1)
            .filter_map(|mut component| {
                component.sort_unstable();
                let types_only = !in_part(&component, &at_run_time);
                let files = component.iter().map(|file| self.path(*file).to_owned()).collect();
                (!types_only || in_part(&component, &as_written)).then_some(Cycle { files, types_only })
            })
            .collect();
        cycles.sort_by(|left, right| left.files.cmp(&right.files));
        cycles
    }

    /// The files that nothing outside their own cycle needs: each alone, or the first of its cycle. By path.
    pub fn roots(&self) -> Vec<usize> {
        let mut roots = Vec::new();
        for mut component in self.components(|_, _| true) {
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
    fn components(&self, follow: impl Fn(usize, &Edge) -> bool) -> Vec<Vec<usize>> {
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
                    if !follow(file, out) {
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
