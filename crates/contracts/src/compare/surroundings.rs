//! Where the files of a folder went: of several files that are alike that one moved along which is where its neighbours are.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};

/// Folders, before and now, by the files that surely moved from one to the other.
#[derive(Default)]
pub(super) struct Surroundings<'a> {
    /// By where it is now, and then by where it was, with how many files went.
    folders: BTreeMap<&'a str, BTreeMap<&'a str, usize>>,
    /// Folders that files surely left.
    left: BTreeSet<&'a str>,
}

/// How well a pair fits to what else moved, the best first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Fit {
    place: Place,
    together: Reverse<usize>,
    /// How many parts of their paths are not the same.
    apart: usize,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Place {
    /// Its folder is the same, or others went from the one to the other.
    Beside,
    /// The same of a folder above.
    Above,
    Unknown,
    /// Its neighbours went elsewhere, or those that it would have came from elsewhere.
    Elsewhere,
}

impl<'a> Surroundings<'a> {
    /// `moved` are pairs of paths, now and before.
    pub(super) fn of(moved: impl Iterator<Item = (&'a str, &'a str)>) -> Self {
        let mut found = Self::default();
        for (mut new, mut old) in moved {
            loop {
                let ((now, new_name), (was, old_name)) = (apart(new), apart(old));
                if now == was {
                    break;
                }
                *found.folders.entry(now).or_default().entry(was).or_default() += 1;
                found.left.insert(was);
                // What is called the same moved with the folder that it is in.
                if new_name != old_name || now.is_empty() || was.is_empty() {
                    break;
                }
                (new, old) = (now, was);
            }
        }
        found
    }

    pub(super) fn fit(&self, new: &str, old: &str) -> Fit {
        let (mut now, mut was) = (apart(new).0, apart(old).0);
        let fit = |place, together| Fit { place, together: Reverse(together), apart: distance(new, old) };
        if now == was {
            return fit(Place::Beside, 0);
        }
        if let Some(count) = self.together(now, was) {
            return fit(Place::Beside, count);
        }
        if self.left.contains(was) || self.folders.contains_key(now) {
            return fit(Place::Elsewhere, 0);
        }
        while !now.is_empty() {
            let ((above_now, name), (above_was, old_name)) = (apart(now), apart(was));
            if name != old_name {
                break;
            }
            if let Some(count) = self.together(above_now, above_was) {
                return fit(Place::Above, count);
            }
            (now, was) = (above_now, above_was);
        }
        fit(Place::Unknown, 0)
    }

    /// Where a file may have been by where it is now.
    pub(super) fn paths_before(&self, new: &str) -> Vec<String> {
        let ends = new.match_indices('/').rev();
        let paths = ends.flat_map(|(at, _)| {
            let rest = &new[at + 1..];
            let folders = self.folders.get(&new[..at]).into_iter().flat_map(BTreeMap::keys);
            folders.map(move |was| if was.is_empty() { rest.to_owned() } else { format!("{was}/{rest}") })
        });
        paths.collect()
    }

    /// How many files went from one folder to another, where some did.
    fn together(&self, now: &str, was: &str) -> Option<usize> {
        self.folders.get(now)?.get(was).copied()
    }
}

/// The folder of a path, and the name in it.
fn apart(path: &str) -> (&str, &str) {
    path.rsplit_once('/').unwrap_or(("", path))
}

fn distance(new: &str, old: &str) -> usize {
    let (new, old): (Vec<&str>, Vec<&str>) = (new.split('/').collect(), old.split('/').collect());
    let shorter = new.len().min(old.len());
    let first = new.iter().zip(&old).take_while(|(one, other)| one == other).count();
    let last = new.iter().rev().zip(old.iter().rev()).take_while(|(one, other)| one == other).count();
    new.len() + old.len() - 2 * (first + last).min(shorter)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn neighbours_tell_where_a_file_went() {
        let moved = [("src/Panel/view.tsx", "src/Card/view.tsx"), ("lib/a/b.ts", "src/a/b.ts")];
        let known = Surroundings::of(moved.into_iter());
        let place = |new, old| known.fit(new, old).place;
        assert_eq!(place("src/Panel/index.ts", "src/Card/index.ts"), Place::Beside);
        assert_eq!(place("src/Dialog/index.ts", "src/Card/index.ts"), Place::Elsewhere);
        assert_eq!(place("src/Panel/index.ts", "src/Modal/index.ts"), Place::Elsewhere);
        assert_eq!(place("lib/c/index.ts", "src/c/index.ts"), Place::Above);
        assert_eq!(place("lib/c/index.ts", "src/d/index.ts"), Place::Unknown);
        assert_eq!(known.paths_before("lib/c/index.ts"), ["src/c/index.ts"]);
    }

    #[test]
    fn paths_are_as_close_as_the_parts_that_they_share() {
        assert_eq!(distance("a/x/index.ts", "b/x/index.ts"), 2);
        assert_eq!(distance("a/x/index.ts", "b/y/index.ts"), 4);
        assert_eq!(distance("a/b/a.ts", "a/a.ts"), 1);
        assert_eq!(distance("a.ts", "a.ts"), 0);
    }
}
