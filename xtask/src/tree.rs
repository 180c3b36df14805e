//! The text of every file in the tree that Git would track, read once.
//!
//! Owns reading and the facts about this machine that must not leak into the tree. Knows no rule.

#![allow(clippy::disallowed_methods, reason = "reads the tree that it checks; never shipped")]

use std::cell::OnceCell;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use proc_macro2::TokenTree;
use thiserror::Error;

use crate::tokens;

/// Why the tree could not be read.
#[derive(Debug, Error)]
pub(crate) enum TreeError {
    #[error("cannot walk the tree")]
    Walk(#[from] ignore::Error),
    #[error("cannot read {path}")]
    Read { path: PathBuf, source: std::io::Error },
}

/// A file by its path relative to the root, with `/`.
#[derive(Debug)]
pub(crate) struct File {
    pub(crate) path: String,
    pub(crate) text: String,
    tokens: OnceCell<Vec<TokenTree>>,
    shipped: OnceCell<Vec<TokenTree>>,
}

impl File {
    fn new(path: String, text: String) -> Self {
        Self { path, text, tokens: OnceCell::new(), shipped: OnceCell::new() }
    }

    /// Its Rust tokens, read when first asked for: several checks want them.
    pub(crate) fn tokens(&self) -> &[TokenTree] {
        self.tokens.get_or_init(|| tokens::all(&self.text))
    }

    /// The same without what stands under `#[cfg(test)]`.
    pub(crate) fn shipped_tokens(&self) -> &[TokenTree] {
        self.shipped.get_or_init(|| tokens::without_tests(self.tokens()))
    }
}

/// Every file, in the order of the paths.
#[derive(Debug, Default)]
pub(crate) struct Tree {
    files: BTreeMap<String, File>,
    /// Strings that name this machine: where the tree lies, the user's home, hosts of private registries.
    pub(crate) machine: Vec<String>,
}

impl Tree {
    pub(crate) fn read(root: &Path) -> Result<Self, TreeError> {
        let mut files = BTreeMap::new();
        let walk = ignore::WalkBuilder::new(root)
            .hidden(false)
            .require_git(false)
            .git_global(false)
            .parents(false)
            // The last two are left out by name: a copy without its `.gitignore` may hold gigabytes of them.
            .filter_entry(|entry| {
                let name = entry.file_name();
                name != ".git" && !(entry.depth() == 1 && (name == "target" || name == ".tools"))
            })
            .build();
        for entry in walk {
            let entry = entry?;
            if !entry.file_type().is_some_and(|kind| kind.is_file()) {
                continue;
            }
            let path = entry.path();
            let bytes =
                std::fs::read(path).map_err(|source| TreeError::Read { path: path.to_path_buf(), source })?;
            let relative = path.strip_prefix(root).unwrap_or(path);
            let name: Vec<_> = relative.components().map(|part| part.as_os_str().to_string_lossy()).collect();
            let name = name.join("/");
            files.insert(name.clone(), File::new(name, String::from_utf8_lossy(&bytes).into_owned()));
        }
        Ok(Self { files, machine: machine(root) })
    }

    #[cfg(test)]
    pub(crate) fn of(files: &[(&str, &str)]) -> Self {
        let file = |(path, text): &(&str, &str)| {
            ((*path).to_owned(), File::new((*path).to_owned(), (*text).to_owned()))
        };
        let files = files.iter().map(file).collect();
        Self { files, machine: Vec::new() }
    }

    pub(crate) fn files(&self) -> impl Iterator<Item = &File> {
        self.files.values()
    }

    pub(crate) fn text(&self, path: &str) -> Option<&str> {
        self.file(path).map(|file| file.text.as_str())
    }

    pub(crate) fn file(&self, path: &str) -> Option<&File> {
        self.files.get(path)
    }

    /// Whether `path` is a file, or a folder that holds one.
    pub(crate) fn contains(&self, path: &str) -> bool {
        let folder = format!("{path}/");
        path.is_empty()
            || self.files.contains_key(path)
            || self.files.range(folder.clone()..).next().is_some_and(|(next, _)| next.starts_with(&folder))
    }

    pub(crate) fn rust(&self) -> impl Iterator<Item = &File> {
        self.files().filter(|file| has_extension(&file.path, "rs"))
    }

    /// The Rust files that end up in the binary: not tests, benchmarks, test support or this program.
    pub(crate) fn shipped_rust(&self) -> impl Iterator<Item = &File> {
        self.rust().filter(|file| {
            let path = file.path.as_str();
            path.starts_with("crates/") && !path.starts_with("crates/testing/") && !is_test(path)
        })
    }

    pub(crate) fn markdown(&self) -> impl Iterator<Item = &File> {
        self.files().filter(|file| has_extension(&file.path, "md"))
    }
}

/// Whether a Rust file holds nothing but tests or benchmarks.
pub(crate) fn is_test(path: &str) -> bool {
    path.ends_with("_tests.rs")
        || path.split('/').any(|part| matches!(part, "tests" | "tests.rs" | "benches" | "fuzz"))
}

pub(crate) fn has_extension(path: &str, extension: &str) -> bool {
    Path::new(path).extension().is_some_and(|found| found == extension)
}

fn machine(root: &Path) -> Vec<String> {
    let home = std::env::home_dir().unwrap_or_default();
    let mut names: Vec<String> = [root, &home, &home.join(".cargo"), &home.join(".rustup")]
        .iter()
        // `/root` or `/src` alone could be anything.
        .filter(|path| path.components().count() > 2)
        .map(|path| path.display().to_string())
        .collect();
    for (name, value) in std::env::vars() {
        let name = name.to_ascii_uppercase();
        if name.contains("REGISTR") || name.ends_with("INDEX_URL") || name.ends_with("_PROXY") {
            names.extend(host(&value).filter(|host| !is_public(host)).map(str::to_owned));
        }
    }
    names
}

fn host(url: &str) -> Option<&str> {
    let (_, rest) = url.split_once("://")?;
    let authority = rest.split(['/', '?', '#']).next()?;
    let host = authority.rsplit('@').next()?.split(':').next()?;
    (!host.is_empty()).then_some(host)
}

fn is_public(host: &str) -> bool {
    let loopback = host == "localhost" || host.starts_with("127.");
    loopback || ["crates.io", "npmjs.org", "pypi.org", "github.com"].iter().any(|known| host.ends_with(known))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_what_git_would_track() {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path();
        std::fs::create_dir_all(root.join("target/deep")).unwrap();
        std::fs::create_dir_all(root.join(".git")).unwrap();
        std::fs::write(root.join(".gitignore"), "/made\n").unwrap();
        std::fs::write(root.join("made"), "").unwrap();
        std::fs::write(root.join("target/deep/built.rs"), "").unwrap();
        std::fs::write(root.join(".git/config"), "").unwrap();
        std::fs::write(root.join("kept.rs"), b"\xff").unwrap();
        let tree = Tree::read(root).unwrap();
        assert_eq!(
            tree.files().map(|file| file.path.as_str()).collect::<Vec<_>>(),
            [".gitignore", "kept.rs"]
        );
        assert!(tree.machine.contains(&root.display().to_string()));
    }

    #[test]
    fn a_folder_is_contained_when_it_holds_a_file() {
        let tree = Tree::of(&[("docs/mcp.md", ""), ("docs-old.md", "")]);
        assert!(tree.contains("docs"));
        assert!(tree.contains("docs/mcp.md"));
        assert!(!tree.contains("doc"));
    }

    #[test]
    fn hosts_come_from_addresses() {
        assert_eq!(host("https://user:secret@mirror.example:8443/simple"), Some("mirror.example"));
        assert_eq!(host("sparse+https://mirror.example/index"), Some("mirror.example"));
        assert_eq!(host("not an address"), None);
        assert!(is_public("registry.npmjs.org"));
        assert!(!is_public("mirror.example"));
    }
}
