//! Waking up when files change. It owns the system's watcher and the wait until a burst of changes has settled; what
//! changed is found by looking at the tree, so that a lost event costs time and never truth.

use std::path::{Path, PathBuf};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::time::{Duration, Instant};

use notify::{Event, EventKind, RecommendedWatcher, RecursiveMode, Watcher};

use crate::walk::is_output;

/// Editors write a file in several steps; a branch switch writes many files.
const SETTLED: Duration = Duration::from_millis(50);
/// A burst that does not end is looked at anyway.
const LONGEST_BURST: Duration = Duration::from_secs(2);

#[derive(Debug, thiserror::Error)]
#[error("{} cannot be watched", path.display())]
pub struct WatchError {
    path: PathBuf,
    source: notify::Error,
}

/// A folder that is watched for as long as this is kept.
#[derive(Debug)]
pub struct Watch {
    _watcher: RecommendedWatcher,
    events: Receiver<Vec<PathBuf>>,
}

impl Watch {
    pub fn start(root: &Path) -> Result<Self, WatchError> {
        let failed = |source| WatchError { path: root.to_owned(), source };
        let (sender, events) = channel();
        let top = root.to_owned();
        let told = move |event: Result<Event, notify::Error>| {
            let paths = match event {
                Ok(event) if matches!(event.kind, EventKind::Access(_)) => return,
                Ok(event) => event.paths.into_iter().filter(|path| matters(&top, path)).collect::<Vec<_>>(),
                // Something was lost: a look at the tree finds it.
                Err(_) => vec![top.clone()],
            };
            if !paths.is_empty() {
                // Nobody listens any more: the watch is about to end.
                let _ = sender.send(paths);
            }
        };
        let mut watcher = notify::recommended_watcher(told).map_err(failed)?;
        watcher.watch(root, RecursiveMode::Recursive).map_err(failed)?;
        Ok(Self { _watcher: watcher, events })
    }

    /// The paths that changed, once they have settled; `None` when nothing did for `patience`.
    pub fn changes(&self, patience: Duration) -> Option<Vec<PathBuf>> {
        let mut paths = match self.events.recv_timeout(patience) {
            Ok(paths) => paths,
            Err(RecvTimeoutError::Timeout | RecvTimeoutError::Disconnected) => return None,
        };
        let begun = Instant::now();
        while begun.elapsed() < LONGEST_BURST {
            match self.events.recv_timeout(SETTLED) {
                Ok(more) => paths.extend(more),
                Err(_) => break,
            }
        }
        paths.sort();
        paths.dedup();
        Some(paths)
    }
}

/// Whether a change of this path can change a contract; what becket writes itself cannot.
fn matters(root: &Path, path: &Path) -> bool {
    let Ok(inside) = path.strip_prefix(root) else { return false };
    let hidden = |name: &str| name.starts_with('.') && name != ".gitignore" && name != ".stampignore";
    let names: Vec<String> = inside.iter().map(|name| name.to_string_lossy().into_owned()).collect();
    let left_out = names.iter().any(|name| hidden(name) || name == "node_modules");
    !left_out && !names.last().is_some_and(|name| is_output(name))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn own_output_and_hidden_folders_do_not_wake() {
        let root = Path::new("/r");
        for (path, expected) in [
            ("/r/src/a.ts", true),
            ("/r/.gitignore", true),
            ("/r/src/context.json", false),
            ("/r/context_main.json", false),
            ("/r/.git/index", false),
            ("/r/node_modules/x/i.js", false),
            ("/r/src/.a.ts.0123.tmp", false),
            ("/elsewhere/a.ts", false),
        ] {
            assert_eq!(matters(root, Path::new(path)), expected, "{path}");
        }
    }

    #[test]
    fn a_write_wakes_once_it_has_settled() {
        let folder = tempfile::tempdir().unwrap();
        let root = crate::canonical::canonical(folder.path()).unwrap();
        let watch = Watch::start(&root).unwrap();
        fs_err::write(root.join("a.ts"), "1").unwrap();
        fs_err::write(root.join("b.ts"), "2").unwrap();
        let mut seen = Vec::new();
        while seen.len() < 2 {
            let changed = watch.changes(Duration::from_secs(20)).expect("an event");
            seen.extend(changed.into_iter().filter_map(|path| path.file_name().map(ToOwned::to_owned)));
            seen.sort();
            seen.dedup();
        }
        assert_eq!(seen, ["a.ts", "b.ts"]);
    }
}
