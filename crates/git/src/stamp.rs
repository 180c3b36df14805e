//! A cheap answer to "did any branch, HEAD or worktree change since?", without starting `git`.
//!
//! Owns no meaning: what the refs say is asked of `git` itself, and only when the stamp differs.
#![allow(clippy::disallowed_methods, reason = "reads the few files whose change means that a ref moved")]

use std::{fs, path::Path, time::SystemTime};

/// Equal as long as nothing moved. Git replaces these files instead of editing them, so a change never keeps them all.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Stamp(Vec<Trace>);

#[derive(Debug, Clone, PartialEq, Eq)]
struct Trace {
    /// What a HEAD says; empty for files of which only the identity matters.
    content: Vec<u8>,
    identity: Option<Identity>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
struct Identity {
    bytes: u64,
    modified: Option<SystemTime>,
    number: u64,
}

/// Looks at the files of the clone with that common directory.
pub fn stamp(common_dir: &Path) -> Stamp {
    let mut traces = vec![
        identity(&common_dir.join("packed-refs")),
        identity(&common_dir.join("config")),
        identity(&common_dir.join("reftable").join("tables.list")),
    ];
    head(common_dir, common_dir, &mut traces);
    let linked = common_dir.join("worktrees");
    let mut names: Vec<_> =
        fs::read_dir(&linked).into_iter().flatten().flatten().map(|entry| entry.path()).collect();
    names.sort();
    for folder in names {
        head(&folder, common_dir, &mut traces);
        traces.push(identity(&folder.join("locked")));
        let link = content(&folder.join("gitdir"));
        let target = String::from_utf8_lossy(&link.content).trim_end().to_owned();
        traces.push(link);
        // A worktree whose folder went away may be pruned.
        traces.push(identity(Path::new(&target)));
    }
    Stamp(traces)
}

fn head(git_dir: &Path, common_dir: &Path, traces: &mut Vec<Trace>) {
    let head = content(&git_dir.join("HEAD"));
    if let Some(name) = String::from_utf8_lossy(&head.content).strip_prefix("ref: ") {
        traces.push(identity(&common_dir.join(name.trim_end())));
    }
    traces.push(head);
    traces.push(identity(&git_dir.join("reftable").join("tables.list")));
}

fn content(path: &Path) -> Trace {
    Trace { content: fs::read(path).unwrap_or_default(), identity: None }
}

fn identity(path: &Path) -> Trace {
    let identity = fs::metadata(path).ok().map(|data| Identity {
        bytes: data.len(),
        modified: data.modified().ok(),
        number: number(&data),
    });
    Trace { content: Vec::new(), identity }
}

#[cfg(unix)]
fn number(data: &fs::Metadata) -> u64 {
    std::os::unix::fs::MetadataExt::ino(data)
}

#[cfg(not(unix))]
fn number(_data: &fs::Metadata) -> u64 {
    0
}
