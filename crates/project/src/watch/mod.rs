//! Whether something happens in a working tree: told by the system where it can, looked for at intervals where it
//! cannot. Owns which folders are watched and when a burst of events is over. What has changed is found by looking at
//! the tree, so a lost event makes for late news and never for a wrong answer.
#![allow(clippy::disallowed_methods, reason = "the owner of waiting for the file system")]

mod source;

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::mpsc::RecvTimeoutError;
use std::time::{Duration, Instant};

use self::source::{News, Source};
use crate::walk::rules::{in_left_out_folder, is_control};
pub use crate::walk::stamp::is_output;

/// How long it must be quiet before a burst counts as over.
pub const SETTLE: Duration = Duration::from_millis(50);
/// A program that never stops writing does not hold the news back for longer than this.
const LONGEST_BURST: Duration = Duration::from_secs(1);
/// Nor does a `git` that holds its index, because it may have died.
const LONGEST_CHECKOUT: Duration = Duration::from_secs(10);
/// How often is looked where nothing tells.
const POLL: Duration = Duration::from_secs(1);
/// Some file systems (of a network, of another system) tell of nothing, and do not say so.
const SAFETY_LOOK: Duration = Duration::from_secs(10);

/// A tree that is being watched, until it is dropped.
#[derive(Debug)]
pub struct TreeWatch {
    root: PathBuf,
    /// While Git writes the tree, this is there.
    git_busy: Option<PathBuf>,
    settle: Duration,
    source: Source,
    looked: Instant,
    /// Whether somebody asked for a look before its time.
    soon: bool,
    /// Whether what becket writes into the tree is news.
    output: Output,
}

/// Whether it is news that something happened to files that becket writes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Output {
    Unheard,
    Heard,
}

/// A burst of events that is over.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Burst {
    /// Relative to the root, with forward slashes. Empty when only a look can tell.
    pub paths: BTreeSet<String>,
    /// When the first of them came.
    pub began: Instant,
}

impl TreeWatch {
    /// Begins; the folders to watch are given to [`TreeWatch::cover`]. `git_dir` is the worktree's own.
    pub fn start(root: &Path, git_dir: Option<&Path>, settle: Duration) -> Self {
        Self {
            root: root.to_owned(),
            git_busy: git_dir.map(|folder| folder.join("index.lock")),
            settle,
            source: Source::start(root),
            looked: Instant::now(),
            soon: false,
            output: Output::Unheard,
        }
    }

    /// Watches these folders of the tree, relative to the root, and no others. True when some are new: what happened in
    /// them before is known only after another look.
    pub fn cover<'a>(&mut self, folders: impl Iterator<Item = &'a str>) -> bool {
        self.looked = Instant::now();
        self.source.cover(&self.root, folders)
    }

    /// From now on tells of what becket writes as well, or no more.
    pub fn hear(&mut self, output: Output) {
        self.output = output;
    }

    /// Tells of a burst soon, whether there is one or not: nothing came of the last one.
    pub fn look_soon(&mut self) {
        self.soon = true;
    }

    /// Why there are only looks at intervals, where that is so.
    pub fn notice(&self) -> Option<&str> {
        self.source.notice()
    }

    /// Waits for something to happen and to be over; `None` when nothing did within `limit`.
    pub fn wait(&mut self, limit: Duration) -> Option<Burst> {
        let deadline = Instant::now() + limit;
        let mut burst = self.first(deadline)?;
        let mut everything = burst.paths.is_empty();
        let mut was_busy = false;
        loop {
            let waited = burst.began.elapsed();
            match self.source.next(self.settle) {
                Ok(news) => match self.relevant(news) {
                    Some(paths) if paths.is_empty() => everything = true,
                    Some(paths) => burst.paths.extend(paths),
                    None => {}
                },
                Err(RecvTimeoutError::Timeout) => {
                    let busy = self.git_busy.as_ref().is_some_and(|lock| lock.exists());
                    // What Git did last may still be on its way when it has let go.
                    if !(busy || was_busy) || waited > LONGEST_CHECKOUT {
                        break;
                    }
                    was_busy = busy;
                }
                Err(RecvTimeoutError::Disconnected) => break,
            }
            let busy = || self.git_busy.as_ref().is_some_and(|lock| lock.exists());
            if waited > LONGEST_BURST && (waited > LONGEST_CHECKOUT || !busy()) {
                break;
            }
        }
        if everything {
            burst.paths.clear();
        }
        Some(burst)
    }

    fn first(&mut self, deadline: Instant) -> Option<Burst> {
        loop {
            let now = Instant::now();
            let interval = if self.soon || self.source.notice().is_some() { POLL } else { SAFETY_LOOK };
            let look = self.looked + interval;
            if now >= look {
                (self.looked, self.soon) = (now, false);
                return Some(Burst { paths: BTreeSet::new(), began: now });
            }
            if now >= deadline {
                return None;
            }
            match self.source.next(look.min(deadline) - now) {
                Ok(news) => {
                    if let Some(paths) = self.relevant(news) {
                        return Some(Burst { paths, began: Instant::now() });
                    }
                }
                Err(RecvTimeoutError::Timeout) => {}
                // Nothing will ever be told again: only looks are left.
                Err(RecvTimeoutError::Disconnected) => std::thread::sleep(look.min(deadline) - now),
            }
        }
    }

    /// The paths that can matter; none of them means that everything can.
    fn relevant(&mut self, news: News) -> Option<BTreeSet<String>> {
        match news {
            News::Lost => Some(BTreeSet::new()),
            News::At { paths, vanished } => {
                if vanished {
                    self.source.forget(&paths);
                    if paths.contains(&self.root) {
                        return Some(BTreeSet::new());
                    }
                }
                let inside: BTreeSet<String> = paths
                    .iter()
                    .filter_map(|path| relative(&self.root, path))
                    .filter(|path| matters(path, self.output))
                    .collect();
                (!inside.is_empty()).then_some(inside)
            }
        }
    }
}

fn relative(root: &Path, path: &Path) -> Option<String> {
    let inside = path.strip_prefix(root).ok()?;
    let names: Vec<_> = inside.iter().map(|name| name.to_string_lossy()).collect();
    Some(names.join("/"))
}

/// Whether a change there can change what is known of the tree: not what is never looked into, and not what becket writes,
/// unless somebody listens for that.
fn matters(path: &str, output: Output) -> bool {
    let name = path.rsplit('/').next().unwrap_or(path);
    let hidden = name.starts_with('.') && !is_control(name);
    if is_output(name) {
        // It stands wherever a source may.
        return output == Output::Heard && !hidden && !in_left_out_folder(&[path, ".ts"].concat());
    }
    // What has no ending may be a folder, with sources in it.
    let left_out = in_left_out_folder(path)
        && (name.contains('.') || in_left_out_folder(&[path, "/source.ts"].concat()));
    !path.is_empty() && !hidden && !left_out
}

#[cfg(test)]
mod tests;
