//! What is in a tree without being listed: a rule leaves it out, a tool made it, or it was installed. It owns how such a
//! file is found, which is never outside of the tree, wherever links lead. Who asks for one, and why, is the resolver.
#![allow(clippy::disallowed_methods, reason = "asks the disk for what no walk comes to")]

use std::fs::Metadata;
use std::path::Path;

use becket_base::RepoPath;
use fs_err as fs;
use xxhash_rust::xxh3::xxh3_64;

use super::rules::LARGEST_SOURCE;
use super::{Below, Stamp};
use crate::canonical::canonical;

/// A file or a folder that no walk lists.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LeftOut {
    /// Relative to the root, without links on the way.
    pub path: String,
    pub is_file: bool,
    /// Says nothing of what is in a folder.
    pub stamp: Stamp,
}

impl LeftOut {
    /// One that is kept where it cannot change.
    pub fn file(path: &str) -> Self {
        Self { path: path.to_owned(), is_file: true, stamp: Stamp::default() }
    }

    pub fn folder(path: &str) -> Self {
        Self { is_file: false, ..Self::file(path) }
    }

    /// What is at a path of the tree on the disk; `None` where nothing is, or links lead out of the tree.
    pub fn at(root: &Path, path: &str) -> Option<Self> {
        if !may_be_asked_for(path) {
            return None;
        }
        for end in path.match_indices('/').map(|(end, _)| end).chain([path.len()]) {
            let metadata = fs::symlink_metadata(root.join(&path[..end])).ok()?;
            if metadata.is_symlink() {
                return Self::through_links(root, path);
            }
            if end == path.len() {
                return Self::of(path, &metadata);
            }
            if !metadata.is_dir() {
                return None;
            }
        }
        None
    }

    fn through_links(root: &Path, path: &str) -> Option<Self> {
        let real = canonical(&root.join(path)).ok()?;
        let inside = real.strip_prefix(canonical(root).ok()?).ok()?;
        let names: Option<Vec<&str>> = inside.iter().map(std::ffi::OsStr::to_str).collect();
        let inside = names?.join("/");
        let found = Self::of(&inside, &fs::symlink_metadata(&real).ok()?)?;
        // Two packages may share a file, and be told apart by where they are alone.
        let inode = found.stamp.inode ^ xxh3_64(inside.as_bytes());
        let stamp = Stamp { inode, ..found.stamp };
        may_be_asked_for(&inside).then_some(Self { stamp, ..found })
    }

    fn of(path: &str, metadata: &Metadata) -> Option<Self> {
        if metadata.is_dir() {
            return Some(Self::folder(path));
        }
        metadata.is_file().then(|| Self { stamp: Stamp::of(metadata), ..Self::file(path) })
    }

    /// The bytes of a file of the disk.
    pub fn read(root: &Path, path: &str) -> Option<Vec<u8>> {
        let mut bytes = Vec::new();
        Below::new(root).read(path, LARGEST_SOURCE, &mut bytes).ok()?;
        Some(bytes)
    }
}

/// Nothing of Git's own, and nothing that is absolute on some system.
fn may_be_asked_for(path: &str) -> bool {
    let is_git = |name: &str| name.eq_ignore_ascii_case(".git");
    let is_inside = RepoPath::from_git(path).is_ok_and(|inside| !inside.is_root() && inside.as_str() == path);
    is_inside && !path.split('/').any(is_git)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_outside_of_the_tree_is_asked_for() {
        for path in ["", ".", "/etc/x.json", "../x.json", "a/../../x.json", "C:/x.json", "a\\..\\..\\x.json"]
        {
            assert!(!may_be_asked_for(path), "{path}");
        }
        for path in [".git/config.json", "a/.git/x.json", ".GIT/x.json"] {
            assert!(!may_be_asked_for(path), "{path}");
        }
        assert!(may_be_asked_for("node_modules/@a/b/tsconfig.json") && may_be_asked_for(".gitlab/x.json"));
    }
}
