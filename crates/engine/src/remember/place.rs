//! Where a call speaks of: which workspace's vault, where its lock and caches live, what Git says of it; and what was
//! read of each before.

use std::{
    collections::BTreeMap,
    path::{Path, PathBuf},
    sync::{Arc, Mutex, OnceLock, PoisonError},
};

use becket_base::{Clock, Timestamp};
use becket_git::provenance::Provenance;
use becket_project::{Sandbox, WorkspaceKind, canonical::canonical};
use schemars::JsonSchema;
use serde::Serialize;

use super::desk::View;
use crate::{Engine, Error, sandbox::refused_link, status::StatusRequest};

/// Kept by the engine between calls.
#[derive(Debug, Default)]
pub struct Memory {
    views: Mutex<BTreeMap<PathBuf, Arc<Mutex<View>>>>,
    /// Set when entries belong to the current directory, as `context-stash` has it, and not to the repository.
    here: OnceLock<PathBuf>,
    clock: OnceLock<Arc<dyn Clock>>,
}

/// What an answer speaks of.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Scope {
    /// The folder whose `.context/` this is.
    pub root: String,
    /// The branch checked out there; absent outside Git and where HEAD is detached.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub branch: Option<String>,
}

/// One workspace.
#[derive(Debug)]
pub(super) struct Place {
    pub(super) root: PathBuf,
    /// Private to the clone, for this vault: lock, mark, caches.
    pub(super) state: PathBuf,
    pub(super) head: Option<String>,
    pub(super) branch: Option<String>,
    pub(super) past: Option<Provenance>,
    pub(super) sandbox: Sandbox,
}

/// The clock of the machine.
#[derive(Debug)]
struct SystemClock;

impl Clock for SystemClock {
    fn now(&self) -> Timestamp {
        Timestamp::now()
    }
}

impl Engine {
    /// Entries belong to the current directory from now on, not to the repository: `context-stash` says so.
    pub fn keep_entries_in_current_directory(&self) -> Result<(), Error> {
        let here = crate::current_directory(self.environment())?;
        // Set once, at the start; a second time would say the same.
        let _ = self.remember.here.set(here.to_owned());
        Ok(())
    }

    /// For tests: another clock than the machine's.
    pub fn set_clock(&self, clock: Arc<dyn Clock>) {
        let _ = self.remember.clock.set(clock);
    }

    pub(crate) fn now(&self) -> Timestamp {
        self.remember.clock.get_or_init(|| Arc::new(SystemClock)).now()
    }

    /// Events are told by the second: nobody wrote two reasons within one.
    pub(super) fn this_second(&self) -> Timestamp {
        Timestamp::from_second(self.now().as_second()).unwrap_or(Timestamp::UNIX_EPOCH)
    }

    pub(super) fn place(&self, worktree: Option<&str>) -> Result<Place, Error> {
        let workspace = self.workspace()?;
        let sandbox = self.sandbox()?;
        let root = match (worktree, self.remember.here.get()) {
            (Some(name), _) => {
                let status = self
                    .status(&StatusRequest { worktree: Some(name.to_owned()), ..StatusRequest::default() })?;
                status
                    .worktree
                    .map_or_else(|| workspace.root.clone(), |worktree| PathBuf::from(worktree.path))
            }
            (None, Some(here)) => canonical(here).unwrap_or_else(|_| here.clone()),
            (None, None) => workspace.root.clone(),
        };
        if workspace.kind == WorkspaceKind::Bare && root == workspace.root {
            return Err(Error::unavailable(
                "no_worktree",
                "A bare repository has no files, and so no `.context/`.",
            )
            .with_hint("Name a worktree of it."));
        }
        let repository = self.repository().unwrap_or_else(|error| {
            tracing::debug!(%error, "entries are read without Git");
            None
        });
        // A vault in a folder below belongs to the innermost worktree around it.
        let holding = repository.as_ref().and_then(|repository| {
            let around = repository.worktrees.iter().filter(|worktree| root.starts_with(&worktree.path));
            around.max_by_key(|worktree| worktree.path.as_os_str().len())
        });
        let prefix =
            holding.map(|worktree| root.strip_prefix(&worktree.path).map(slashes).unwrap_or_default());
        let past = prefix.as_ref().map(|prefix| Provenance::new(root.as_path(), prefix));
        let state = workspace.cache_dir.join("memory");
        let state = match prefix.as_deref() {
            None | Some("") => state,
            Some(prefix) => state.join(becket_memory::ContentHash::of(prefix.as_bytes()).as_str()),
        };
        let state = if holding.is_none() && root != workspace.root {
            root.join(becket_fence::cache::IN_PROJECT).join("memory")
        } else {
            state
        };
        if workspace.git_dir.is_none() || !state.starts_with(&workspace.cache_dir) {
            // Such a folder comes along with what was unpacked here; one in a Git directory is the user's.
            let placed = becket_fence::place(&root, &state);
            placed.err().and_then(|error| refused_link(&error)).map_or(Ok(()), Err)?;
        }
        let (head, branch) =
            holding.map_or((None, None), |worktree| (worktree.head.clone(), worktree.branch.clone()));
        Ok(Place { root, state, head, branch, past, sandbox })
    }

    pub(super) fn view(&self, place: &Place) -> Arc<Mutex<View>> {
        let mut views = self.remember.views.lock().unwrap_or_else(PoisonError::into_inner);
        Arc::clone(views.entry(place.root.clone()).or_default())
    }
}

impl Place {
    pub(super) fn scope(&self) -> Scope {
        Scope { root: self.root.display().to_string(), branch: self.branch.clone() }
    }

    /// A cache of this worktree; worktrees of one clone share the folder.
    pub(super) fn cache(&self, name: &str) -> PathBuf {
        let root = self.root.to_string_lossy();
        let key = becket_memory::ContentHash::of(root.as_bytes());
        self.state.join(format!("{name}-{}.json", key.as_str()))
    }
}

fn slashes(path: &Path) -> String {
    path.components()
        .map(|part| part.as_os_str().to_string_lossy().into_owned())
        .collect::<Vec<_>>()
        .join("/")
}
