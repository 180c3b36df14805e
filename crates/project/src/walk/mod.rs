//! Which files of a tree are looked at, in one order on every machine. It owns the walk over folders and the stamps by
//! which an unchanged tree is known; what is left out is decided by [`rules`], what a file means by its reader.
#![allow(clippy::disallowed_methods, reason = "the owner of the walk")]

mod given;
mod left_out;
mod pattern;
pub mod rules;
pub(crate) mod stamp;

use std::collections::BTreeMap;
use std::ffi::OsStr;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use becket_base::Parts;
use becket_base::divided;
use fs_err as fs;
use rayon::prelude::*;

pub(crate) use self::given::Ignored;
pub use self::given::from_paths;
pub use self::left_out::LeftOut;
use self::rules::{Hidden, Rules, role_of};
pub use self::rules::{Role, RuleProblem, Tests};
pub(crate) use self::stamp::unlisted_stamp;
pub use self::stamp::{Below, Stamp, names_digest, stamp_of};
use crate::canonical::canonical;

/// A file that is not ignored.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Found {
    /// Relative to the root, with forward slashes.
    pub path: Arc<str>,
    pub role: Role,
    pub stamp: Stamp,
}

impl Found {
    /// Almost always the very same text.
    pub fn has_path(&self, path: &Arc<str>) -> bool {
        Arc::ptr_eq(&self.path, path) || self.path == *path
    }
}

/// A symbolic link that is not ignored.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Link {
    /// Relative to the root, with forward slashes.
    pub path: String,
    /// What it says, with forward slashes.
    pub target: String,
}

impl Link {
    /// The one at a path of the tree now, [`within`](Self::within) it; `None` where there is none.
    pub(crate) fn at(root: &Path, path: String) -> Option<Self> {
        let target = fs::read_link(root.join(&path)).ok()?;
        let target = target.to_string_lossy().replace(std::path::MAIN_SEPARATOR, "/");
        Some(Self { path, target }.within(root))
    }

    /// The same with the way inside, where what it says goes through what is around the tree and really leads back into it:
    /// `/home/me/project/src/a.ts`, `../../project/src/a.ts`.
    #[must_use]
    pub fn within(self, root: &Path) -> Self {
        let folder = divided::around_last(&self.path, b'/').map_or("", |(folder, _)| folder);
        let inside = || {
            let place = root.join(folder).join(&self.target);
            // What it leads to may be gone meanwhile.
            let gone = || Some(canonical(place.parent()?).ok()?.join(place.file_name()?));
            let real = canonical(&place).ok().or_else(gone)?;
            let inside = real.strip_prefix(canonical(root).ok()?).ok()?;
            let names: Option<Vec<&str>> = inside.iter().map(OsStr::to_str).collect();
            let up = folder.split('/').filter(|name| !name.is_empty()).map(|_| "..");
            Some(up.chain(names?).collect::<Vec<_>>().join("/"))
        };
        match leaves(folder, &self.target).then(inside).flatten() {
            Some(target) => Self { target, ..self },
            None => self,
        }
    }
}

/// Whether the way of a link out of its folder goes through what is around the tree.
fn leaves(folder: &str, target: &str) -> bool {
    let mut deep = folder.split('/').filter(|name| !name.is_empty()).count();
    Path::new(target).has_root()
        || target.split('/').any(|name| match name {
            "" | "." => false,
            ".." if deep == 0 => true,
            ".." => {
                deep -= 1;
                false
            }
            _ => {
                deep += 1;
                false
            }
        })
}

/// A folder that was read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Folder {
    /// Relative to the root; empty for the root itself.
    pub path: String,
    pub stamp: Stamp,
    /// Over the names in it: a folder that was touched without gaining or losing a name has the same.
    pub names: u64,
}

/// A tree as it was found.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Walked {
    /// By path.
    pub files: Parts<Found>,
    /// By path.
    pub folders: Parts<Folder>,
    /// By path. What they lead to is listed where it is.
    pub links: Vec<Link>,
    /// What is not listed and decides how others are read all the same.
    pub unlisted: Arc<Unlisted>,
    pub problems: Vec<WalkProblem>,
}

impl Walked {
    /// The same where a change of these files changes how others are read, whatever they are called.
    #[must_use]
    pub fn decided_by<'a>(mut self, paths: impl IntoIterator<Item = &'a String>) -> Self {
        for path in paths {
            let at = self.files.binary_search_by(|file| (*file.path).cmp(path.as_str()));
            if let Some((at, file)) =
                at.ok().map(|at| (at, &self.files[at])).filter(|(_, it)| it.role == Role::Asset)
            {
                let file = Found { role: Role::Control, ..file.clone() };
                self.files.set(at, file);
            }
        }
        self
    }
}

/// Files by the way to them and their path, with their stamps; nothing for one that is not there.
pub type Unlisted = BTreeMap<(Way, String), Option<Stamp>>;

/// How a file is reached that is not listed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Way {
    /// Through folders alone, as a commit has it: it lies in a hidden one.
    Folders,
    /// Through links too, as long as they stay in the tree: [`LeftOut`].
    Links,
}

/// What was found below a folder, in any order.
#[derive(Default)]
struct Visited {
    files: Vec<Found>,
    folders: Vec<Folder>,
    links: Vec<String>,
    problems: Vec<WalkProblem>,
}

/// Something that could not be looked at, and why; the rest was.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, serde::Serialize, serde::Deserialize)]
pub struct WalkProblem {
    pub path: String,
    pub message: String,
}

#[derive(Debug, thiserror::Error)]
pub enum WalkError {
    #[error("{} cannot be read", path.display())]
    Root { path: PathBuf, source: io::Error },
}

/// Everything under `root` that no rule ignores.
pub fn walk(root: &Path, tests: Tests) -> Result<Walked, WalkError> {
    walk_by(root, Rules::start(tests))
}

/// The same, with what begins with a dot.
pub fn walk_all(root: &Path) -> Result<Walked, WalkError> {
    walk_by(root, Rules::start(Tests::Included).with(Hidden::Included))
}

fn walk_by(root: &Path, rules: Rules) -> Result<Walked, WalkError> {
    let unreadable = |source| WalkError::Root { path: root.to_owned(), source };
    let metadata = fs::metadata(root).map_err(unreadable)?;
    if !metadata.is_dir() {
        return Err(unreadable(io::ErrorKind::NotADirectory.into()));
    }
    fs::read_dir(root).map_err(unreadable)?;
    // Taken before the names are read: what comes in between makes the next look read again.
    let stamp = fs::symlink_metadata(root).map(|metadata| Stamp::of(&metadata)).unwrap_or_default();
    let rules = Arc::new(rules);
    let Visited { mut files, mut folders, mut links, mut problems } = visit(root, "", stamp, &rules);
    files.par_sort_unstable_by(|left, right| left.path.cmp(&right.path));
    folders.sort_unstable_by(|left, right| left.path.cmp(&right.path));
    links.sort();
    problems.sort();
    let links = links.into_iter().filter_map(|path| Link::at(root, path)).collect();
    let (files, folders) = (files.into(), folders.into());
    Ok(Walked { files, folders, links, problems, ..Walked::default() })
}

struct Entry {
    name: String,
    found: fs::DirEntry,
    kind: Kind,
}

impl Entry {
    /// Asked of the open folder, which is a shorter way than the whole path.
    fn stamped(&self) -> io::Result<Stamp> {
        let metadata =
            if cfg!(unix) { self.found.metadata() } else { fs::symlink_metadata(self.found.path()) };
        metadata.map(|metadata| Stamp::of(&metadata))
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    File,
    Folder,
    /// Not followed.
    Link,
    /// A pipe, for one: not read.
    Other,
}

fn visit(absolute: &Path, relative: &str, stamp: Stamp, rules: &Arc<Rules>) -> Visited {
    let mut visited = Visited::default();
    let entries = match read_folder(absolute, relative, &mut visited.problems) {
        Ok(entries) => entries,
        Err(error) => {
            visited.problems.push(WalkProblem { path: relative.to_owned(), message: error.to_string() });
            // Known without its names: once it can be read, its stamp is another, and so are they.
            visited.folders.push(Folder { path: relative.to_owned(), stamp, names: 0 });
            return visited;
        }
    };
    let names = names_digest(entries.iter().map(|entry| entry.name.as_str()));
    visited.folders.push(Folder { path: relative.to_owned(), stamp, names });

    let texts = |name: &str| {
        let entry = entries.iter().find(|entry| entry.name == name && entry.kind == Kind::File)?;
        fs::read(entry.found.path()).ok()
    };
    let (rules, problems) = rules.in_folder(relative, texts);
    visited.problems.extend(problems.into_iter().map(WalkProblem::from));

    let mut folders = Vec::new();
    for entry in entries {
        let path = join(relative, &entry.name);
        match entry.kind {
            Kind::Folder if rules.enters(&path, &entry.name) => {
                folders.push((entry.found.path(), path, entry.stamped().unwrap_or_default()));
            }
            Kind::File if rules.lists(&path, &entry.name) => {
                // One that is gone in between shows in the folder's new stamp at the next look.
                if let Ok(stamp) = entry.stamped() {
                    let role = role_of(&path, stamp.size, rules.tests());
                    visited.files.push(Found { path: path.into(), role, stamp });
                }
            }
            Kind::Link if rules.knows_link(&path, &entry.name) => visited.links.push(path),
            Kind::File | Kind::Folder | Kind::Link | Kind::Other => {}
        }
    }
    let visit =
        |(absolute, relative, stamp): (PathBuf, String, Stamp)| visit(&absolute, &relative, stamp, &rules);
    let inner: Vec<Visited> = folders.into_par_iter().map(visit).collect();
    for part in inner {
        visited.files.extend(part.files);
        visited.folders.extend(part.folders);
        visited.links.extend(part.links);
        visited.problems.extend(part.problems);
    }
    visited
}

fn read_folder(absolute: &Path, relative: &str, problems: &mut Vec<WalkProblem>) -> io::Result<Vec<Entry>> {
    let mut entries = Vec::new();
    for entry in fs::read_dir(absolute)? {
        let entry = entry?;
        let kind = match entry.file_type() {
            Ok(kind) if kind.is_file() => Kind::File,
            Ok(kind) if kind.is_dir() => Kind::Folder,
            Ok(kind) if kind.is_symlink() => Kind::Link,
            _ => Kind::Other,
        };
        match entry.file_name().into_string() {
            Ok(name) => entries.push(Entry { name, found: entry, kind }),
            Err(name) => {
                if matches!(kind, Kind::File | Kind::Folder) {
                    let path = join(relative, &name.to_string_lossy());
                    problems.push(WalkProblem { path, message: "the name is not Unicode".to_owned() });
                }
            }
        }
    }
    Ok(entries)
}

/// The names in a folder now, as [`Folder::names`] has them; `None` when it cannot be read.
pub fn names_in(folder: &Path) -> Option<u64> {
    let entries = read_folder(folder, "", &mut Vec::new()).ok()?;
    Some(names_digest(entries.iter().map(|entry| entry.name.as_str())))
}

fn join(folder: &str, name: &str) -> String {
    if folder.is_empty() { name.to_owned() } else { [folder, "/", name].concat() }
}

impl From<RuleProblem> for WalkProblem {
    fn from(problem: RuleProblem) -> Self {
        Self { path: problem.path, message: problem.message }
    }
}

#[cfg(test)]
mod tests;
