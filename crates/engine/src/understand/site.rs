//! Where a call speaks of: the worktree, the folder in it, and the index of its files, which is kept between calls and
//! brought up to date on each.

use std::collections::{BTreeMap, VecDeque};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use becket_base::{RepoPath, RepoPathError};
use becket_git::GitError;
use becket_project::config;
use becket_project::index::{Gist, Index, IndexError, Look, Place, Reading};
use becket_project::snapshot::{Retention, Snapshots};
use becket_project::walk::Tests;
use becket_project::{CheckedOut, Workspace, WorkspaceKind};

use super::compare::KeptCompared;
use super::given::Given;
use super::material::{Material, Previous, Remembered};
use super::options::ContextOptions;
use super::written::{self, KeptPages};
use crate::progress::{self, Progress};
use crate::repository::sentence;
use crate::{Engine, Error};

/// Locked while it is being made anew, so that two calls do not make it twice.
type LastIndex = Mutex<Option<Arc<Index>>>;

/// Kept by the engine between calls.
#[derive(Debug, Default)]
pub struct Understanding {
    /// By root and by whether tests are in it.
    indexes: Mutex<BTreeMap<(PathBuf, bool), Arc<LastIndex>>>,
    /// What was last handed out of a folder under some options; the newest last.
    pub(super) materials: Mutex<Vec<(MaterialKey, Arc<Material>)>>,
    /// What was last written into an output folder.
    pages: Mutex<BTreeMap<PathBuf, Arc<KeptPages>>>,
    /// Snapshots that were opened, by content.
    pub(super) opened: Mutex<BTreeMap<String, Arc<Material>>>,
    /// Of which project each snapshot was taken here: a caller names it by its id alone.
    pub(super) taken: Mutex<BTreeMap<String, String>>,
    /// The newest last.
    pub(super) compared: Mutex<VecDeque<KeptCompared>>,
    pub(super) feed: Mutex<super::feed::FeedState>,
}

/// What [`Engine::live_unless`] came to.
pub(super) enum Live<R, Rest> {
    Same(R),
    Index(Arc<Index>, Rest),
}

/// Root, folder in it, options.
type MaterialKey = (PathBuf, String, ContextOptions);

/// What is done while an index is made.
pub(super) const READING: &str = "reading sources";

/// So many materials are kept: a server answers for a few folders under the same options again and again.
const MOST_MATERIALS: usize = 3;

/// A folder whose files a call speaks of.
#[derive(Debug, Clone)]
pub(super) struct Site {
    pub(super) workspace: Workspace,
    /// From the root to the folder; empty for the root.
    pub(super) prefix: String,
    pub(super) branch: Option<String>,
}

impl Site {
    pub(super) fn folder(&self) -> PathBuf {
        // Joining nothing would leave a slash at the end.
        if self.prefix.is_empty() {
            self.workspace.root.clone()
        } else {
            self.workspace.root.join(&self.prefix)
        }
    }

    /// Whether a file is in the folder.
    pub(super) fn holds(&self, entry: &str) -> bool {
        lies_in(entry, &self.prefix)
    }

    /// The same file seen from the folder.
    pub(super) fn inside<'a>(&self, entry: &'a str) -> &'a str {
        entry.strip_prefix(&self.prefix).unwrap_or(entry).trim_start_matches('/')
    }

    pub(super) fn shown(&self) -> String {
        self.folder().display().to_string()
    }

    pub(super) fn cache(&self) -> PathBuf {
        cache_of(&self.workspace)
    }
}

impl Engine {
    /// The folder that a `projectPath` names; the server's own worktree without one.
    pub(super) fn site(&self, project_path: Option<&str>) -> Result<Site, Error> {
        let workspace = self.workspace_named(project_path)?;
        if workspace.kind == WorkspaceKind::Bare {
            return Err(Error::unavailable("no_worktree", "A bare repository has no files to understand.")
                .with_hint("Name the folder of one of its worktrees."));
        }
        let prefix = match project_path {
            None => String::new(),
            Some(_) => slashes(&workspace),
        };
        let branch = match workspace.checked_out() {
            CheckedOut::Branch(branch) => Some(branch),
            CheckedOut::Detached => None,
            CheckedOut::Unsaid => {
                let repository = self.repository_of(&workspace).ok().flatten();
                let worktrees = repository.iter().flat_map(|found| &found.worktrees);
                let mut here = worktrees.filter(|worktree| worktree.path == workspace.root);
                here.next().and_then(|worktree| worktree.branch.clone())
            }
        };
        Ok(Site { workspace, prefix, branch })
    }

    /// The index of a worktree as its files are now.
    pub(super) fn live(&self, site: &Site, tests: Tests) -> Result<Arc<Index>, Error> {
        let place = place(site, tests);
        let index = self.looked(&place, None)?;
        index.save(&place);
        Ok(index)
    }

    /// The same, unless a first look finds the tree as the last process left it and `same` makes something of that, from
    /// what `told` reads meanwhile; then nothing of its files is read. With an index comes what `rest` makes of the same. It
    /// is for the caller to save the index, beside whatever it does with it.
    pub(super) fn live_unless<Told: Send, R, Rest: Send>(
        &self,
        place: &Place,
        told: impl FnOnce() -> Told + Send,
        same: impl FnOnce(&Gist<'_>, &Told) -> Option<R>,
        rest: impl FnOnce(Told) -> Rest + Send,
    ) -> Result<Live<R, Rest>, Error> {
        let slot = self.slot(place);
        let mut known = slot.lock().unwrap_or_else(PoisonError::into_inner);
        let (index, rest) = if let Some(previous) = known.as_deref() {
            let (index, rest) = rayon::join(|| Index::of(place, Some(previous)), || rest(told()));
            (index.map_err(of_index)?, rest)
        } else {
            let (look, told) = rayon::join(|| Look::at(place), told);
            let look = look.map_err(of_index)?;
            if let Some(found) = look.same().and_then(|seen| same(&seen, &told)) {
                return Ok(Live::Same(found));
            }
            look.index(place, || rest(told))
        };
        let index = Arc::new(index);
        *known = Some(Arc::clone(&index));
        Ok(Live::Index(index, rest))
    }

    /// The index of a worktree where nothing else was touched since the last one than `changed`, by the caller's word.
    pub(super) fn live_after(
        &self,
        site: &Site,
        tests: Tests,
        changed: &[String],
    ) -> Result<Arc<Index>, Error> {
        let place = place(site, tests);
        let index = self.looked(&place, Some(changed))?;
        index.save(&place);
        Ok(index)
    }

    /// Where the index of a place is kept in memory.
    fn slot(&self, place: &Place) -> Arc<LastIndex> {
        let mut indexes = self.understanding.indexes.lock().unwrap_or_else(PoisonError::into_inner);
        Arc::clone(indexes.entry((place.root.clone(), place.tests == Tests::Included)).or_default())
    }

    fn looked(&self, place: &Place, changed: Option<&[String]>) -> Result<Arc<Index>, Error> {
        let slot = self.slot(place);
        // One look at a time: a second caller takes what the first has just found.
        let mut known = slot.lock().unwrap_or_else(PoisonError::into_inner);
        let index = match (known.as_deref(), changed) {
            (Some(previous), Some(changed)) => Index::after(place, previous, changed),
            (previous, _) => Index::of(place, previous),
        };
        let index = Arc::new(index.map_err(of_index)?);
        *known = Some(Arc::clone(&index));
        Ok(index)
    }

    /// What is handed out of an index; what did not change is taken from the time before: of this process, or else of the
    /// last one.
    pub(super) fn material(
        &self,
        site: &Site,
        index: &Arc<Index>,
        options: ContextOptions,
        last: Option<&Remembered>,
    ) -> Arc<Material> {
        let key: MaterialKey = (site.workspace.root.clone(), site.prefix.clone(), options);
        let kept = || self.understanding.materials.lock().unwrap_or_else(PoisonError::into_inner);
        let previous =
            kept().iter().find(|(known, _)| *known == key).map(|(_, material)| Arc::clone(material));
        let root = &site.workspace.root;
        let source = |path: &str| written::source(&root.join(path));
        let previous = previous.as_deref().map(Previous::Material).or(last.map(Previous::Remembered));
        let material = Arc::new(Material::of(index, site, options, previous, &source));
        let mut kept = kept();
        kept.retain(|(known, _)| *known != key);
        kept.push((key, Arc::clone(&material)));
        if kept.len() > MOST_MATERIALS {
            kept.remove(0);
        }
        material
    }

    pub(super) fn kept_pages(&self, folder: &Path) -> Arc<KeptPages> {
        let pages = self.understanding.pages.lock().unwrap_or_else(PoisonError::into_inner);
        pages.get(folder).cloned().unwrap_or_default()
    }

    pub(super) fn keep_pages(&self, folder: &Path, kept: KeptPages) {
        let mut pages = self.understanding.pages.lock().unwrap_or_else(PoisonError::into_inner);
        pages.insert(folder.to_owned(), Arc::new(kept));
    }

    /// Unless there is something newer.
    pub(super) fn keep_pages_once(&self, folder: &Path, kept: KeptPages) {
        let mut pages = self.understanding.pages.lock().unwrap_or_else(PoisonError::into_inner);
        pages.entry(folder.to_owned()).or_insert_with(|| Arc::new(kept));
    }

    /// Forgets what is remembered of a worktree.
    pub(super) fn forget(&self, site: &Site) -> Result<(), Error> {
        let mut indexes = self.understanding.indexes.lock().unwrap_or_else(PoisonError::into_inner);
        indexes.retain(|(root, _), _| *root != site.workspace.root);
        drop(indexes);
        let mut materials = self.understanding.materials.lock().unwrap_or_else(PoisonError::into_inner);
        materials.retain(|((root, ..), _)| *root != site.workspace.root);
        drop(materials);
        Index::clear(&site.cache()).map_err(of_index)
    }

    /// The index of a commit, from the object database alone.
    pub(super) fn index_at(&self, site: &Site, revision: &str, tests: Tests) -> Result<Index, Error> {
        let root = &site.workspace.root;
        let commit = becket_git::resolve(root, revision).map_err(|error| {
            let is_unknown = matches!(error, GitError::UnknownRevision { .. });
            let git = site.workspace.common_dir.as_ref().filter(|_| is_unknown);
            let error = Error::from(error);
            if git.is_some_and(|git| git.join("shallow").exists()) {
                error.with_hint(
                    "This clone is shallow and lacks older commits: `git fetch --unshallow` brings them.",
                )
            } else {
                error
            }
        })?;
        let given = Given::of(&becket_git::Git::at(root.as_path()), None, commit.as_str())?;
        given.checked_out(&site.workspace)?.index(tests, &site.cache(), None)
    }

    pub(super) fn snapshots(&self, site: &Site) -> Snapshots {
        let settings = &self.settings;
        let number = |key| usize::try_from(settings.number(key)).unwrap_or(usize::MAX);
        let retention = Retention {
            most: number(config::SNAPSHOTS_MAX),
            minutes: i64::try_from(settings.number(config::SNAPSHOTS_TTL_MINUTES)).unwrap_or(i64::MAX),
            automatic: settings.flag(config::SNAPSHOTS_AUTO_CLEANUP),
        };
        let folder = settings
            .path(config::SNAPSHOTS_DIR)
            .map_or_else(|| site.cache().join("snapshots"), std::path::Path::to_path_buf);
        Snapshots::new(&site.workspace.root, folder, retention)
    }
}

/// A path below the root as a caller spells it, `src\ui` and `./src/ui/` too, in ours; empty for the root. What can be
/// none stays as it is, and is found nowhere.
pub(super) fn spelled(path: &str) -> String {
    match RepoPath::parse(path.trim_start_matches('/')) {
        Ok(path) if path.is_root() => String::new(),
        Ok(path) => path.as_str().to_owned(),
        Err(RepoPathError::Empty) => String::new(),
        Err(_) => path.to_owned(),
    }
}

/// Whether a path is the folder or lies in it; everything lies in the root.
pub(super) fn lies_in(path: &str, folder: &str) -> bool {
    let inside = |rest: &str| rest.is_empty() || rest.starts_with('/');
    folder.is_empty() || path.strip_prefix(folder).is_some_and(inside)
}

/// What files say is kept here, for all worktrees of a clone.
pub(super) fn cache_of(workspace: &Workspace) -> PathBuf {
    workspace.cache_dir.join("understand")
}

/// Where an index looks; whoever listens on this thread is told how far it is.
pub(super) fn place(site: &Site, tests: Tests) -> Place {
    let reading = progress::listener().map_or_else(Reading::default, |listener| {
        let told = move |done, total| listener(Progress { phase: READING, done, total: Some(total) });
        Reading::told_to(Arc::new(told))
    });
    Place { root: site.workspace.root.clone(), cache: site.cache(), tests, reading }
}

fn slashes(workspace: &Workspace) -> String {
    let inside = workspace.start.strip_prefix(&workspace.root).unwrap_or(std::path::Path::new(""));
    inside.iter().map(|name| name.to_string_lossy().into_owned()).collect::<Vec<_>>().join("/")
}

fn of_index(error: IndexError) -> Error {
    Error::unavailable("tree_unreadable", sentence(&error.to_string()))
        .with_hint("Check that the folder exists and can be read.")
        .with_source(error)
}
