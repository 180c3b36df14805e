//! What init or uninit would do, as data. Planning reads and never writes; [`super::apply`] does the rest.

use std::path::{Path, PathBuf};

use serde::Serialize;
use serde_json::Value;

use super::co_owners::{SharedRecord, is_gone, user_key};
use super::document::Slot;
use super::error::SetupError;
use super::launch::Launch;
use super::listing;
use super::place::{Base, Machine, Scope};
use super::record::{FileRecord, Record, RecordFile};
use super::table::{HOSTS, Host};
use super::target::Target;

/// What `becket init` was asked for.
#[derive(Debug, Clone)]
pub struct InitRequest {
    /// The worktree's folder.
    pub root: PathBuf,
    /// Where the record of what was written is kept.
    pub cache: PathBuf,
    pub machine: Machine,
    pub hosts: HostChoice,
    pub launch: Launch,
    pub agents_md: AgentsMd,
    pub replace: Replace,
}

/// What `becket uninit` was asked for.
#[derive(Debug, Clone)]
pub struct UninitRequest {
    pub root: PathBuf,
    pub cache: PathBuf,
    pub machine: Machine,
    /// These alone, or everything that init wrote.
    pub hosts: Option<Vec<&'static Host>>,
}

#[derive(Debug, Clone)]
pub enum HostChoice {
    /// Those of which a sign is found; Claude Code, whose file other hosts read too, when there is none.
    Detected,
    Named(Vec<&'static Host>),
}

impl HostChoice {
    /// Reads what `--hosts` was given; `all` is every host.
    pub fn parse(names: &[String]) -> Result<Vec<&'static Host>, SetupError> {
        if names.iter().any(|name| name == "all") {
            return Ok(HOSTS.iter().collect());
        }
        for name in names {
            Host::named(name)?;
        }
        Ok(HOSTS.iter().filter(|host| names.iter().any(|name| name == host.name)).collect())
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum AgentsMd {
    Write,
    Leave,
}

/// What becomes of an entry of our name that is not as we would write it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Replace {
    Keep,
    Ours,
}

/// Everything that would be done, and why the rest would not.
#[derive(Debug, Serialize)]
pub struct SetupPlan {
    pub hosts: Vec<ChosenHost>,
    pub files: Vec<PlannedFile>,
    /// What the user should know or do, a sentence each.
    pub notes: Vec<String>,
    #[serde(skip)]
    pub(super) records: RecordChange,
}

#[derive(Debug, Serialize)]
pub struct ChosenHost {
    pub name: &'static str,
    pub title: &'static str,
    pub because: Because,
}

#[derive(Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Because {
    Named,
    /// This file or folder says that it is used.
    Found(String),
    /// No sign of any host was found.
    Default,
}

#[derive(Debug, Serialize)]
pub struct PlannedFile {
    /// The host's name, or `AGENTS.md`.
    pub owner: String,
    pub path: PathBuf,
    /// The path as people read it: from the worktree or from `~`.
    pub shown: String,
    pub scope: Scope,
    pub step: Step,
    /// The toolsets that the host's tool limit leaves; none when all fit.
    pub toolsets: Option<Vec<String>>,
    /// Folders that are made (init) or removed when they are empty (uninit), outermost first.
    pub folders: Vec<PathBuf>,
    /// The changed lines with a little around them, each with `+`, `-` or a space before it.
    pub diff: String,
    #[serde(skip)]
    pub before: Option<String>,
    /// None when there is to be no file.
    #[serde(skip)]
    pub after: Option<String>,
    #[serde(skip)]
    pub(super) real: PathBuf,
}

#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "snake_case", tag = "kind")]
pub enum Step {
    // init
    Create,
    Insert,
    /// Our own entry or block is there, but not as it is written today.
    Update,
    AlreadyThere,
    /// Somebody changed the entry; it is kept.
    Differs {
        found: Value,
        ours: Value,
    },
    /// A link makes it the same file as that of another owner.
    SameFile {
        owner: String,
    },
    // uninit
    Delete,
    /// Back to the same bytes as before init.
    Restore,
    /// Others edited the file meanwhile: only ours goes.
    TakeOut,
    NothingThere,
    Left {
        reason: String,
    },
}

impl Step {
    pub fn writes(&self) -> bool {
        use Step::{Create, Delete, Insert, Restore, TakeOut, Update};
        matches!(self, Create | Insert | Update | Delete | Restore | TakeOut)
    }
}

/// What becomes of the records.
#[derive(Debug, Default)]
pub(super) struct RecordChange {
    pub(super) cache: PathBuf,
    /// The record file's bytes when the plan was made.
    pub(super) seen: Option<Vec<u8>>,
    pub(super) file: RecordFile,
    pub(super) order: RecordOrder,
    pub(super) shared: Option<SharedChange>,
    /// Half-written files that an interruption left.
    pub(super) litter: Vec<PathBuf>,
}

/// What becomes of the user's own record.
#[derive(Debug)]
pub(super) struct SharedChange {
    pub(super) path: PathBuf,
    pub(super) seen: Option<Vec<u8>>,
    pub(super) record: SharedRecord,
    /// Folders that are made (init) or removed when they are empty (uninit), outermost first.
    pub(super) folders: Vec<PathBuf>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) enum RecordOrder {
    /// Before the first file is touched, so that whatever happens next can be taken back.
    #[default]
    First,
    /// After the last, so that an interrupted uninit can be run again.
    Last,
}

impl SetupPlan {
    /// Whether applying it changes nothing.
    pub fn is_empty(&self) -> bool {
        self.files.iter().all(|file| !file.step.writes() && file.folders.is_empty())
            && !self.changes_record()
            && self.shared_change().is_none()
            && self.records.litter.is_empty()
    }

    /// A listing in the manner of a diff.
    pub fn listing(&self) -> String {
        listing::listing(self)
    }

    pub(super) fn changes_record(&self) -> bool {
        let change = &self.records;
        let seen: Option<RecordFile> =
            change.seen.as_deref().and_then(|bytes| serde_json::from_slice(bytes).ok());
        seen.unwrap_or_default() != change.file
    }

    /// The user's own record, when something becomes of it.
    pub(super) fn shared_change(&self) -> Option<&SharedChange> {
        self.records.shared.as_ref().filter(|change| {
            let seen: Option<SharedRecord> =
                change.seen.as_deref().and_then(|bytes| serde_json::from_slice(bytes).ok());
            seen.unwrap_or_default() != change.record || !change.folders.is_empty()
        })
    }
}

/// The reading half that init and uninit share.
pub(super) struct Survey<'a> {
    pub(super) root: &'a Path,
    pub(super) cache: &'a Path,
    pub(super) machine: &'a Machine,
    pub(super) tree: String,
    pub(super) seen: Option<Vec<u8>>,
    pub(super) file: RecordFile,
    /// As whom the user's own record knows this worktree.
    pub(super) user: String,
    /// None when no home folder is known.
    pub(super) shared: Option<SharedChange>,
}

impl<'a> Survey<'a> {
    pub(super) fn new(root: &'a Path, cache: &'a Path, machine: &'a Machine) -> Result<Self, SetupError> {
        if !root.is_dir() {
            return Err(SetupError::NotAFolder { path: root.to_owned() });
        }
        let (file, seen) = RecordFile::read(cache)?;
        let tree = super::record::tree_key(root, cache);
        let user = user_key(root);
        let mut shared = match SharedRecord::path(machine) {
            Some(path) => {
                let (record, seen) = SharedRecord::read(&path)?;
                Some(SharedChange { path, seen, record, folders: Vec::new() })
            }
            None => None,
        };
        let registered = file.trees.get(&tree).and_then(|record| record.registered.as_ref());
        if let (Some(shared), Some(before)) = (&mut shared, registered)
            && before.user != user
            // Else this is a copy, and the other worktree goes on wanting what it wanted.
            && is_gone(&before.user)
        {
            shared.record.rename(&before.user, &user);
        }
        Ok(Self { root, cache, machine, tree, seen, file, user, shared })
    }

    /// What init wrote for this worktree into files of the user.
    pub(super) fn shared_by_us(&self) -> Vec<FileRecord> {
        let entries = self.shared.iter().flat_map(|shared| &shared.record.entries);
        let ours = entries.filter(|entry| entry.users.contains(&self.user));
        ours.map(|entry| entry.record.clone()).collect()
    }

    /// Whether init wrote it for another worktree than this one.
    pub(super) fn others_want(&self, path: &Path, slot: &Slot) -> bool {
        let entry = self.shared.as_ref().and_then(|shared| shared.record.at(path.to_str()?, slot));
        entry.is_some_and(|entry| entry.users.iter().any(|user| *user != self.user && !is_gone(user)))
    }

    /// Folders that an init of this worktree made for the user's record.
    pub(super) fn registered_folders(&self) -> Vec<PathBuf> {
        let registered = self.record().and_then(|record| record.registered.as_ref());
        registered.map(|registered| registered.folders.clone()).unwrap_or_default()
    }

    /// What was recorded for this worktree.
    pub(super) fn record(&self) -> Option<&Record> {
        self.file.trees.get(&self.tree)
    }

    pub(super) fn recorded(&self, path: &Path) -> Option<&FileRecord> {
        let files = &self.record()?.files;
        files.iter().find(|file| super::record::locate(&file.path, self.root) == path)
    }

    pub(super) fn read(&self, path: &Path, scope: Scope) -> Result<Target, SetupError> {
        let allowed: Vec<PathBuf> = match scope {
            Scope::Project => vec![self.root.to_owned()],
            Scope::User => {
                let bases = [Base::Home, Base::Config, Base::AppData];
                bases.iter().filter_map(|base| base.folder(self.machine, self.root)).collect()
            }
        };
        Target::read(path, &allowed)
    }

    pub(super) fn planned(&self, owner: &str, target: &Target, scope: Scope, step: Step) -> PlannedFile {
        PlannedFile {
            owner: owner.to_owned(),
            path: target.path.clone(),
            shown: self.shown(&target.path),
            scope,
            step,
            toolsets: None,
            folders: Vec::new(),
            diff: String::new(),
            before: target.current.clone(),
            after: target.current.clone(),
            real: target.real.clone(),
        }
    }

    pub(super) fn shown(&self, path: &Path) -> String {
        let spelled =
            |rest: &Path, front: &str| front.to_owned() + &rest.to_string_lossy().replace('\\', "/");
        if let Ok(rest) = path.strip_prefix(self.root) {
            return spelled(rest, "");
        }
        match self.machine.home.as_ref().and_then(|home| path.strip_prefix(home).ok()) {
            Some(rest) => spelled(rest, "~/"),
            None => path.to_string_lossy().into_owned(),
        }
    }

    pub(super) fn scope_of(&self, path: &Path) -> Scope {
        if path.starts_with(self.root) { Scope::Project } else { Scope::User }
    }
}

impl PlannedFile {
    pub(super) fn becomes(&mut self, after: Option<String>) {
        self.diff =
            listing::diff(self.before.as_deref().unwrap_or_default(), after.as_deref().unwrap_or_default());
        self.after = after;
    }
}
