//! What the system tells of folders: a thin layer over `notify`, and the giving up where a limit of the system is hit.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::time::Duration;

use notify::event::{EventKind, ModifyKind};
use notify::{ErrorKind, RecommendedWatcher, RecursiveMode, Watcher};

/// macOS and Windows watch a whole tree with one handle. Linux needs one for each folder, so that only those count that
/// are looked into: `node_modules` alone can exceed the limit of the system.
const WHOLE_TREE: bool = cfg!(any(target_os = "macos", windows));

pub(super) struct Source {
    watcher: Option<RecommendedWatcher>,
    events: Receiver<notify::Result<notify::Event>>,
    watched: BTreeSet<PathBuf>,
    /// Were watched, and are gone or renamed: what stands there now is another folder.
    stale: BTreeSet<PathBuf>,
    notice: Option<String>,
}

impl std::fmt::Debug for Source {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.debug_struct("Source").field("watched", &self.watched.len()).finish_non_exhaustive()
    }
}

pub(super) enum News {
    At {
        paths: Vec<PathBuf>,
        vanished: bool,
    },
    /// Events were lost: anything may have happened.
    Lost,
}

impl Source {
    pub(super) fn start(root: &Path) -> Self {
        let (sender, events) = channel();
        let mut notice = None;
        let watcher = match notify::recommended_watcher(sender) {
            Ok(mut watcher) if WHOLE_TREE => match watcher.watch(root, RecursiveMode::Recursive) {
                Ok(()) => Some(watcher),
                Err(error) => {
                    notice = Some(why(&error));
                    None
                }
            },
            Ok(watcher) => Some(watcher),
            Err(error) => {
                notice = Some(why(&error));
                None
            }
        };
        Self { watcher, events, watched: BTreeSet::new(), stale: BTreeSet::new(), notice }
    }

    #[cfg(test)]
    pub(super) fn without_events(notice: &str) -> Self {
        let (_, events) = channel();
        Self {
            watcher: None,
            events,
            watched: BTreeSet::new(),
            stale: BTreeSet::new(),
            notice: Some(notice.to_owned()),
        }
    }

    pub(super) fn notice(&self) -> Option<&str> {
        self.notice.as_deref()
    }

    pub(super) fn cover<'a>(&mut self, root: &Path, folders: impl Iterator<Item = &'a str>) -> bool {
        if WHOLE_TREE {
            return false;
        }
        let Some(watcher) = &mut self.watcher else { return false };
        let wanted: BTreeSet<PathBuf> = folders.map(|folder| root.join(folder)).collect();
        // First what goes: a folder that was renamed has the same handle under both names.
        let gone: Vec<PathBuf> = self
            .watched
            .iter()
            .filter(|folder| !wanted.contains(*folder) || self.stale.contains(*folder))
            .cloned()
            .collect();
        for folder in &gone {
            // It is no failure that the system has dropped it by itself.
            let _ = watcher.unwatch(folder);
            self.watched.remove(folder);
        }
        self.stale.clear();
        let new: Vec<PathBuf> = wanted.difference(&self.watched).cloned().collect();
        let mut failed = None;
        for folder in &new {
            match watcher.watch(folder, RecursiveMode::NonRecursive) {
                Ok(()) => {
                    self.watched.insert(folder.clone());
                }
                Err(error) if is_gone(&error) => {}
                Err(error) => {
                    failed = Some(why(&error));
                    break;
                }
            }
        }
        if failed.is_some() {
            // Half of a tree that is watched would look like a whole one.
            self.notice = failed;
            self.watcher = None;
            self.watched.clear();
        }
        !new.is_empty()
    }

    /// These, and what is below them, are other folders from now on, if they are any.
    pub(super) fn forget(&mut self, paths: &[PathBuf]) {
        for path in paths {
            let below = self.watched.range(path.clone()..).take_while(|folder| folder.starts_with(path));
            self.stale.extend(below.cloned());
        }
    }

    pub(super) fn next(&self, limit: Duration) -> Result<News, RecvTimeoutError> {
        if self.watcher.is_none() {
            // The sender may live on in a watcher that was given up.
            std::thread::sleep(limit);
            return Err(RecvTimeoutError::Timeout);
        }
        let end = std::time::Instant::now() + limit;
        loop {
            let left = end.saturating_duration_since(std::time::Instant::now());
            match self.events.recv_timeout(left)? {
                Ok(event) if event.need_rescan() => return Ok(News::Lost),
                Ok(event) => match event.kind {
                    // Reading is no news.
                    EventKind::Access(_) => {}
                    kind => {
                        let vanished =
                            matches!(kind, EventKind::Remove(_) | EventKind::Modify(ModifyKind::Name(_)));
                        return Ok(News::At { paths: event.paths, vanished });
                    }
                },
                Err(error) => {
                    tracing::debug!(%error, "the system could not tell of a change");
                    return Ok(News::Lost);
                }
            }
        }
    }
}

fn is_gone(error: &notify::Error) -> bool {
    match &error.kind {
        ErrorKind::PathNotFound => true,
        ErrorKind::Io(error) => {
            matches!(error.kind(), std::io::ErrorKind::NotFound | std::io::ErrorKind::PermissionDenied)
        }
        _ => false,
    }
}

fn why(error: &notify::Error) -> String {
    let reason = match &error.kind {
        ErrorKind::MaxFilesWatch => {
            "the limit of watched folders is reached (on Linux fs.inotify.max_user_watches)".to_owned()
        }
        ErrorKind::Io(error) => format!(
            "the system watches no more folders: {error} (on Linux see fs.inotify.max_user_instances and max_user_watches)"
        ),
        _ => format!("the system watches no folders: {error}"),
    };
    format!("{reason}; the tree is looked at once a second instead")
}
