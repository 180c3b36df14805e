//! The index of references in the working tree: which file and line refers to which entry. Owns the walk over the code and
//! the cache of what was read; the cache can be deleted at any time.
#![allow(clippy::disallowed_methods, reason = "this module reads the working tree and its own cache")]

use std::{
    collections::BTreeMap,
    io,
    path::{Path, PathBuf},
    sync::{Mutex, PoisonError},
    time::UNIX_EPOCH,
};

use becket_base::{RepoPath, Timestamp};
use fs_err as fs;
use ignore::{WalkBuilder, WalkState};
use serde::{Deserialize, Serialize};

use crate::{
    code::{Source, may_mention, mentions, outline, region_of_line},
    entry::ContentHash,
};

/// A comment in code that refers to an entry.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Reference {
    pub number: u64,
    /// What stands before the digits; only a prefix that entries have or had makes it a reference.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub prefix: String,
    pub line: usize,
    /// The declaration that it stands in or above, where one was recognised.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub declaration: Option<String>,
    /// The piece of code that it speaks of, first and last line.
    pub lines: (usize, usize),
    pub region: ContentHash,
}

/// Everything that was read, by path.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub struct ReferenceIndex {
    version: u32,
    files: BTreeMap<RepoPath, Record>,
    /// When the last look began, in nanoseconds.
    looked: i128,
}

#[derive(Debug, Clone, Serialize, Deserialize)]
struct Record {
    modified: i128,
    size: u64,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    references: Vec<Reference>,
}

/// What a refresh did.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Refreshed {
    pub files: usize,
    pub read: usize,
    /// Files that were too large to be looked at.
    pub too_large: usize,
}

const VERSION: u32 = 1;
/// Larger files are data, not code that somebody comments.
const LARGEST: u64 = 4 * 1024 * 1024;
/// A file that was written this shortly before it was read may have been written again within the same tick.
const TICK: i128 = 2_000_000_000;
/// Folders that hold no code of this repository.
const NEVER: [&str; 8] = [".git", ".hg", ".svn", ".jj", ".becket", ".lodestar", ".context", "node_modules"];

impl ReferenceIndex {
    /// Reads the cache; a missing, damaged or older one is an empty index.
    pub fn load(cache: &Path) -> Self {
        let read = fs::read(cache).ok().and_then(|bytes| serde_json::from_slice::<Self>(&bytes).ok());
        read.filter(|index| index.version == VERSION).unwrap_or_default()
    }

    pub fn store(&self, cache: &Path) -> io::Result<()> {
        let bytes = serde_json::to_vec(self)?;
        if let Some(folder) = cache.parent() {
            becket_fence::cache::create_folder(folder)?;
        }
        let beside = cache.with_extension(format!("{}.new", std::process::id()));
        fs::write(&beside, bytes)?;
        fs::rename(&beside, cache)
    }

    /// Looks at the tree and reads what is new or changed. Ignored files and other repositories inside are left out.
    pub fn refresh(&mut self, root: &Path, now: Timestamp) -> Refreshed {
        let now = now.as_nanosecond();
        let known = std::mem::take(&mut self.files);
        let trusted = |record: &Record| record.modified < self.looked - TICK;
        let found: Mutex<(Vec<(RepoPath, Record)>, Refreshed)> = Mutex::default();
        walker(root).build_parallel().run(|| {
            let mut batch = Batch { shared: &found, files: Vec::new(), refreshed: Refreshed::default() };
            let (known, trusted) = (&known, &trusted);
            Box::new(move |entry| {
                if let Some((path, full, modified, size)) =
                    entry.ok().and_then(|entry| describe(root, &entry))
                {
                    batch.refreshed.files += 1;
                    let record = match known.get(&path) {
                        Some(record)
                            if record.modified == modified && record.size == size && trusted(record) =>
                        {
                            record.clone()
                        }
                        _ if size > LARGEST => {
                            batch.refreshed.too_large += 1;
                            Record { modified, size, references: Vec::new() }
                        }
                        _ => {
                            batch.refreshed.read += 1;
                            Record { modified, size, references: read(&path, &full) }
                        }
                    };
                    batch.files.push((path, record));
                }
                WalkState::Continue
            })
        });
        let (files, refreshed) = found.into_inner().unwrap_or_else(PoisonError::into_inner);
        self.files = files.into_iter().collect();
        self.looked = now;
        self.version = VERSION;
        refreshed
    }

    /// Every reference, by path and line.
    pub fn all(&self) -> impl Iterator<Item = (&RepoPath, &Reference)> {
        self.files
            .iter()
            .flat_map(|(path, record)| record.references.iter().map(move |reference| (path, reference)))
    }

    /// When a file was last written and how large it is: equal means that its references are too.
    pub fn stamp(&self, path: &RepoPath) -> Option<(i128, u64)> {
        self.files.get(path).map(|record| (record.modified, record.size))
    }

    /// The references of one file, by line.
    pub fn of(&self, path: &RepoPath) -> &[Reference] {
        self.files.get(path).map_or(&[], |record| &record.references)
    }

    /// Paths of all files that were looked at.
    pub fn paths(&self) -> impl Iterator<Item = &RepoPath> {
        self.files.keys()
    }
}

/// What one walking thread found; handed over when the thread is done.
struct Batch<'a> {
    shared: &'a Mutex<(Vec<(RepoPath, Record)>, Refreshed)>,
    files: Vec<(RepoPath, Record)>,
    refreshed: Refreshed,
}

impl Drop for Batch<'_> {
    fn drop(&mut self) {
        let mut shared = self.shared.lock().unwrap_or_else(PoisonError::into_inner);
        shared.0.append(&mut self.files);
        shared.1.files += self.refreshed.files;
        shared.1.read += self.refreshed.read;
        shared.1.too_large += self.refreshed.too_large;
    }
}

fn walker(root: &Path) -> WalkBuilder {
    let mut builder = WalkBuilder::new(root);
    builder.hidden(false).require_git(false).follow_links(false);
    builder.filter_entry(|entry| {
        if entry.depth() == 0 || !entry.file_type().is_some_and(|kind| kind.is_dir()) {
            return true;
        }
        let never = entry.file_name().to_str().is_some_and(|name| NEVER.contains(&name));
        // A submodule or a nested clone has a vault of its own.
        !never && fs::symlink_metadata(entry.path().join(".git")).is_err()
    });
    builder
}

fn describe(root: &Path, entry: &ignore::DirEntry) -> Option<(RepoPath, PathBuf, i128, u64)> {
    if !entry.file_type()?.is_file() {
        return None;
    }
    let relative = entry.path().strip_prefix(root).ok()?;
    let path =
        relative.components().map(|part| part.as_os_str().to_str()).collect::<Option<Vec<_>>>()?.join("/");
    let metadata = entry.metadata().ok()?;
    let modified = metadata.modified().ok()?.duration_since(UNIX_EPOCH).ok()?.as_nanos();
    Some((
        RepoPath::from_git(&path).ok()?,
        entry.path().to_owned(),
        i128::try_from(modified).ok()?,
        metadata.len(),
    ))
}

fn read(path: &RepoPath, full: &Path) -> Vec<Reference> {
    match fs::read(full) {
        Ok(bytes) if may_mention(&bytes) => references_in(path.as_str(), &String::from_utf8_lossy(&bytes)),
        Ok(_) => Vec::new(),
        Err(error) => {
            tracing::debug!(%error, "not looked at for references");
            Vec::new()
        }
    }
}

/// The references in one text.
pub fn references_in(path: &str, text: &str) -> Vec<Reference> {
    let source = Source::new(path, text);
    let mentions = mentions(&source);
    if mentions.is_empty() {
        return Vec::new();
    }
    let declarations = outline(&source);
    let reference = |mention: &crate::code::Mention| {
        let region = region_of_line(&source, mention.line, &declarations, &mentions);
        Reference {
            number: mention.number,
            prefix: mention.prefix.clone(),
            line: mention.line,
            declaration: region.declaration,
            lines: (region.first, region.last),
            region: region.hash,
        }
    };
    mentions.iter().map(reference).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use tempfile::TempDir;

    fn tree(files: &[(&str, &str)]) -> TempDir {
        let root = TempDir::new().unwrap();
        for (path, text) in files {
            let path = root.path().join(path);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, text).unwrap();
        }
        root
    }

    fn listed(index: &ReferenceIndex) -> Vec<String> {
        index
            .all()
            .map(|(path, one)| {
                format!("{path}:{} {} {}", one.line, one.number, one.declaration.as_deref().unwrap_or("-"))
            })
            .collect()
    }

    fn later(seconds: i64) -> Timestamp {
        Timestamp::from_second(4_000_000_000 + seconds).unwrap()
    }

    #[test]
    fn the_tree_is_read_without_what_is_not_its_code() {
        let root = tree(&[
            ("src/a.ts", "// refer to context 00012\nfunction f() {\n}\n"),
            (".hidden/b.py", "# refer to context 7, 8\n"),
            ("ignored/c.ts", "// refer to context 1"),
            (".gitignore", "ignored/\n"),
            (".context/00001.md", "<!-- refer to context 1 -->"),
            ("node_modules/x/d.js", "// refer to context 1"),
            ("nested/.git/HEAD", ""),
            ("nested/e.ts", "// refer to context 1"),
            ("odd name#1.rs", "// refer to context 3\n"),
        ]);
        let mut index = ReferenceIndex::default();
        index.refresh(root.path(), later(0));
        assert_eq!(
            listed(&index),
            [".hidden/b.py:1 7 -", ".hidden/b.py:1 8 -", "odd name#1.rs:1 3 -", "src/a.ts:1 12 f"]
        );
    }

    #[test]
    fn only_what_changed_is_read_again() {
        let root = tree(&[
            ("a.ts", "// refer to context 1\n"),
            ("b.ts", "x\n"),
            ("c.ts", "// refer to context 2\n"),
        ]);
        let cache = root.path().join(".git/becket/references.json");
        let mut index = ReferenceIndex::load(&cache);
        assert_eq!(index.refresh(root.path(), later(0)).read, 3);
        index.store(&cache).unwrap();
        let mut index = ReferenceIndex::load(&cache);
        assert_eq!(index.refresh(root.path(), later(9)), Refreshed { files: 3, read: 0, too_large: 0 });
        fs::write(root.path().join("a.ts"), "// refer to context 1, 5\n").unwrap();
        fs::remove_file(root.path().join("c.ts")).unwrap();
        assert_eq!(index.refresh(root.path(), later(19)).read, 1);
        assert_eq!(listed(&index), ["a.ts:1 1 -", "a.ts:1 5 -"]);
        fs::write(&cache, "{damaged").unwrap();
        assert_eq!(ReferenceIndex::load(&cache).all().count(), 0);
    }

    #[test]
    fn a_file_written_just_before_the_look_is_not_trusted() {
        let root = tree(&[("a.ts", "// refer to context 1\n")]);
        let mut index = ReferenceIndex::default();
        let written = fs::metadata(root.path().join("a.ts")).unwrap().modified().unwrap();
        let moment = Timestamp::try_from(written).unwrap();
        index.refresh(root.path(), moment);
        assert_eq!(index.refresh(root.path(), later(0)).read, 1);
        assert_eq!(index.refresh(root.path(), later(9)).read, 0);
    }

    #[cfg(unix)]
    #[test]
    fn links_are_not_followed_and_odd_files_do_no_harm() {
        let root = tree(&[("a.ts", "// refer to context 1\n"), ("b.bin", "\0\u{1}context")]);
        std::os::unix::fs::symlink("/etc", root.path().join("etc")).unwrap();
        std::os::unix::fs::symlink("a.ts", root.path().join("link.ts")).unwrap();
        fs::write(root.path().join("latin.py"), b"# caf\xe9 refer to context 4\n").unwrap();
        let mut index = ReferenceIndex::default();
        index.refresh(root.path(), later(0));
        assert_eq!(listed(&index), ["a.ts:1 1 -", "latin.py:1 4 -"]);
    }
}
