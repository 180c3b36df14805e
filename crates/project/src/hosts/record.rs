//! What init wrote, so that uninit can take back exactly that. One JSON file in the cache folder, which the linked
//! worktrees of a clone share; it holds our own text and the few bytes that it replaced, never a copy of a whole file.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::document::Slot;
use super::error::SetupError;
use crate::files;

const FILE_NAME: &str = "setup.json";

/// Far more than every worktree of a clone can need.
const LARGEST: u64 = 64 << 20;

/// The file as it is on disk.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub(super) struct RecordFile {
    /// By worktree; see [`tree_key`].
    pub(super) trees: BTreeMap<String, Record>,
}

/// The record of one worktree.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub(super) struct Record {
    pub(super) files: Vec<FileRecord>,
    /// As whom the user's own record knows this worktree, when init wrote into files of the user.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) registered: Option<Registration>,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(super) struct Registration {
    pub(super) user: String,
    /// Folders that were made for the user's record, also by an init that did not come to write it.
    pub(super) folders: Vec<PathBuf>,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(super) struct FileRecord {
    /// The host's name, or `AGENTS.md`.
    pub(super) owner: String,
    /// Relative to the worktree with `/`, or absolute in the user's home.
    pub(super) path: String,
    pub(super) slot: Slot,
    pub(super) entry: Value,
    /// What stood in the slot before, when somebody chose to replace it.
    pub(super) replaced: Option<Value>,
    pub(super) new_containers: usize,
    pub(super) created_file: bool,
    /// Outermost first, spelled as `path` is.
    pub(super) created_folders: Vec<String>,
    /// None when the bytes before cannot be had again, because others had edited the file in between.
    pub(super) exact: Option<Exact>,
}

/// The way back to the same bytes.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(super) struct Exact {
    /// Digest of the file before; none when there was no file.
    pub(super) before: Option<String>,
    pub(super) after: String,
    pub(super) at: usize,
    pub(super) removed: String,
    pub(super) inserted: String,
}

/// How the file stands to its record.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Standing {
    /// As it was before init: an interrupted init did not reach it, or somebody took our edit back.
    Before,
    /// As init left it; this is the text before.
    After(Option<String>),
    Edited,
}

impl RecordFile {
    pub(super) fn path(cache: &Path) -> PathBuf {
        cache.join(FILE_NAME)
    }

    /// The record and its bytes, which tell later whether another process changed it.
    pub(super) fn read(cache: &Path) -> Result<(Self, Option<Vec<u8>>), SetupError> {
        let path = Self::path(cache);
        let Some(bytes) = files::read(&path, LARGEST)? else { return Ok((Self::default(), None)) };
        match serde_json::from_slice(&bytes) {
            Ok(record) => Ok((record, Some(bytes))),
            Err(source) => Err(SetupError::Record { path, source }),
        }
    }

    pub(super) fn to_bytes(&self, cache: &Path) -> Result<Vec<u8>, SetupError> {
        let mut bytes = serde_json::to_vec_pretty(self)
            .map_err(|source| SetupError::Record { path: Self::path(cache), source })?;
        bytes.push(b'\n');
        Ok(bytes)
    }
}

/// The worktree that holds the cache is known by the way to it, so that the record outlives a move of the repository;
/// a linked worktree by its path.
pub(super) fn tree_key(root: &Path, cache: &Path) -> String {
    match cache.strip_prefix(root) {
        Ok(inside) => format!("main:{}", inside.to_string_lossy().replace('\\', "/")),
        Err(_) => root.to_string_lossy().into_owned(),
    }
}

/// A path as the record spells it.
pub(super) fn spell(path: &Path, root: &Path) -> Result<String, SetupError> {
    let not_unicode = || SetupError::NotUnicode { path: path.to_owned() };
    match path.strip_prefix(root) {
        Ok(relative) => {
            let parts: Option<Vec<&str>> =
                relative.components().map(|part| part.as_os_str().to_str()).collect();
            Ok(parts.ok_or_else(not_unicode)?.join("/"))
        }
        Err(_) => Ok(path.to_str().ok_or_else(not_unicode)?.to_owned()),
    }
}

/// The inverse of [`spell`].
pub(super) fn locate(spelled: &str, root: &Path) -> PathBuf {
    if Path::new(spelled).is_absolute() { PathBuf::from(spelled) } else { root.join(spelled) }
}

impl FileRecord {
    pub(super) fn standing(&self, current: Option<&str>) -> Standing {
        let Some(exact) = &self.exact else { return Standing::Edited };
        let digest = current.map(digest);
        if digest == exact.before {
            return Standing::Before;
        }
        match current {
            Some(text) if digest.as_deref() == Some(&exact.after) => match exact.undo(text) {
                Some(before) if exact.before.is_none() && before.is_empty() => Standing::After(None),
                Some(before) if exact.before == Some(self::digest(&before)) => Standing::After(Some(before)),
                _ => Standing::Edited,
            },
            _ => Standing::Edited,
        }
    }
}

impl Exact {
    /// The smallest single replacement that makes `after` of `before`.
    pub(super) fn between(before: Option<&str>, after: &str) -> Self {
        let old = before.unwrap_or_default();
        let at = common_prefix(old, after);
        let same_end = common_suffix(&old[at..], &after[at..]);
        Self {
            before: before.map(digest),
            after: digest(after),
            at,
            removed: old[at..old.len() - same_end].to_owned(),
            inserted: after[at..after.len() - same_end].to_owned(),
        }
    }

    fn undo(&self, text: &str) -> Option<String> {
        let rest = text.get(self.at..)?.strip_prefix(self.inserted.as_str())?;
        Some([&text[..self.at], &self.removed, rest].concat())
    }
}

fn digest(text: &str) -> String {
    blake3::hash(text.as_bytes()).to_hex().to_string()
}

fn common_prefix(left: &str, right: &str) -> usize {
    left.chars().zip(right.chars()).take_while(|(a, b)| a == b).map(|(a, _)| a.len_utf8()).sum()
}

fn common_suffix(left: &str, right: &str) -> usize {
    left.chars().rev().zip(right.chars().rev()).take_while(|(a, b)| a == b).map(|(a, _)| a.len_utf8()).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_way_back_is_the_smallest_one() {
        let exact = Exact::between(Some("ä{}é"), "ä{ü}é");
        assert_eq!((exact.removed.as_str(), exact.inserted.as_str()), ("", "ü"));
        assert_eq!(exact.undo("ä{ü}é").as_deref(), Some("ä{}é"));
        let repeated = Exact::between(Some("aa"), "aaa");
        assert_eq!(repeated.undo("aaa").as_deref(), Some("aa"));
    }

    #[test]
    fn a_moved_repository_keeps_its_record() {
        let key = |root: &str, cache: &str| tree_key(Path::new(root), Path::new(cache));
        assert_eq!(key("/a/repo", "/a/repo/.git/becket"), key("/b/moved", "/b/moved/.git/becket"));
        assert_ne!(key("/a/linked", "/a/repo/.git/becket"), key("/a/repo", "/a/repo/.git/becket"));
    }
}
