//! The engine on one workspace: opened once, asked by every face.

use std::{
    path::{Path, PathBuf},
    sync::{Arc, OnceLock},
};

use becket_git::stamp::Stamp;
use becket_project::{Environment, RootError, Sandbox, Settings, Workspace, root};

use crate::{
    Error, ErrorKind,
    repository::{Repository, RepositoryCache, sentence},
    settings::Problem,
};

/// What the command line decides.
#[derive(Debug, Clone, Default)]
pub struct OpenOptions {
    /// `--repo`.
    pub repo: Option<PathBuf>,
    /// Settings given as flags: key and value.
    pub flags: Vec<(&'static str, String)>,
}

/// Opening never fails: a server on a broken set-up still starts, and says what is broken.
#[derive(Debug)]
pub struct Engine {
    environment: Environment,
    workspace: Result<Workspace, RootProblem>,
    pub(crate) settings: Settings,
    pub(crate) problems: Vec<Problem>,
    pub(crate) notices: Vec<String>,
    repository: RepositoryCache,
    pub(crate) embeddings: crate::embeddings::Embeddings,
    pub(crate) remember: crate::remember::Memory,
    pub(crate) listings: crate::commit::Listings,
    pub(crate) coordinate: crate::coordinate::Coordination,
    pub(crate) understanding: crate::understand::Understanding,
    git_version: OnceLock<Option<String>>,
}

#[derive(Debug)]
struct RootProblem {
    kind: ErrorKind,
    code: &'static str,
    message: String,
    hint: &'static str,
}

impl From<RootError> for RootProblem {
    fn from(error: RootError) -> Self {
        let (kind, code, hint) = (kind_of(&error), error.code(), error.hint());
        Self { kind, code, message: sentence(&error.to_string()), hint }
    }
}

impl RootProblem {
    fn error(&self) -> Error {
        Error::new(self.kind, self.code, self.message.clone()).with_hint(self.hint)
    }
}

impl Engine {
    pub fn open(environment: Environment, options: OpenOptions) -> Self {
        let OpenOptions { repo, flags } = options;
        let workspace = root::locate(repo.as_deref(), &environment).map_err(RootProblem::from);
        // Without a workspace there are no settings files, but environment and flags still count.
        let loaded = match &workspace {
            Ok(workspace) => Settings::load(workspace, &environment, &flags),
            Err(_) => Settings::load_without_files(&environment, &flags),
        };
        Self {
            environment,
            workspace,
            settings: loaded.settings,
            problems: loaded.problems.iter().map(Problem::from).collect(),
            notices: loaded.notices.iter().map(ToString::to_string).collect(),
            repository: RepositoryCache::default(),
            embeddings: crate::embeddings::Embeddings::default(),
            remember: crate::remember::Memory::default(),
            listings: crate::commit::Listings::default(),
            coordinate: crate::coordinate::Coordination::default(),
            understanding: crate::understand::Understanding::default(),
            git_version: OnceLock::new(),
        }
    }

    /// The folder that calls speak of; an error where there is none, or none any more.
    pub fn workspace(&self) -> Result<&Workspace, Error> {
        let workspace = self.opened()?;
        still_there(workspace)?;
        Ok(workspace)
    }

    /// The same, though it may be gone since: other worktrees of the clone may be left.
    fn opened(&self) -> Result<&Workspace, Error> {
        self.workspace.as_ref().map_err(RootProblem::error)
    }

    pub(crate) fn environment(&self) -> &Environment {
        &self.environment
    }

    /// What callers may name.
    pub fn sandbox(&self) -> Result<Sandbox, Error> {
        Ok(self.settings.sandbox(self.opened()?.clone()))
    }

    /// Changes whenever a ref, HEAD or worktree of the clone does.
    pub fn repository_stamp(&self) -> Option<Stamp> {
        let common_dir = self.workspace.as_ref().ok()?.common_dir.as_ref()?;
        Some(becket_git::stamp::stamp(common_dir))
    }

    /// The workspace that a `repo` argument names, if it may; the server's own without one.
    pub(crate) fn workspace_named(&self, repo: Option<&str>) -> Result<Workspace, Error> {
        match repo {
            None => self.workspace().cloned(),
            Some(repo) => Ok(self.sandbox()?.admit_root(repo)?),
        }
    }

    pub(crate) fn repository(&self) -> Result<Option<Arc<Repository>>, Error> {
        self.repository_of(self.workspace()?)
    }

    pub(crate) fn repository_of(&self, workspace: &Workspace) -> Result<Option<Arc<Repository>>, Error> {
        self.repository.read(workspace)
    }

    /// Where a process can be started.
    pub(crate) fn directory(&self) -> &Path {
        self.workspace.as_ref().map_or(&self.environment.current_dir, |workspace| &workspace.root)
    }

    /// Asked once: the program does not change under a running server.
    pub(crate) fn git_version(&self) -> Option<String> {
        self.git_version
            .get_or_init(|| becket_git::version(self.directory()).ok().map(|version| version.text))
            .clone()
    }
}

/// An error where a workspace is gone since it was found.
pub(crate) fn still_there(workspace: &Workspace) -> Result<(), Error> {
    workspace.still_there().map_err(|error| RootProblem::from(error).error())
}

pub(crate) fn kind_of(error: &RootError) -> ErrorKind {
    match error {
        RootError::Missing { .. } => ErrorKind::NotFound,
        RootError::CacheElsewhere(_) => ErrorKind::Denied,
        RootError::NotAFolder { .. } | RootError::NotUnicode { .. } => ErrorKind::Invalid,
        RootError::Chosen { source, .. } => kind_of(source),
        _ => ErrorKind::Unavailable,
    }
}

/// What the process was started with.
pub fn environment() -> Environment {
    Environment::from_process()
}

/// The directory that the process was started in, for those who work there and not in a repository.
pub fn current_directory(environment: &Environment) -> Result<&Path, Error> {
    if environment.has_current_dir() {
        return Ok(&environment.current_dir);
    }
    let gone = RootError::NoCurrentDirectory;
    Err(Error::unavailable(gone.code(), sentence(&gone.to_string())).with_hint(gone.hint()))
}
