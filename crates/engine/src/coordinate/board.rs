//! Where a call of this plane speaks of: which `.lodestar/`, which store, and that the store knows today's `spec.yaml`.
#![allow(
    clippy::disallowed_methods,
    reason = "finds .lodestar and makes the folder that the clone's runtime lives in"
)]

use std::{
    collections::BTreeMap,
    path::{Path, PathBuf},
    sync::{Arc, Mutex, OnceLock, PoisonError},
};

use becket_base::Timestamp;
use becket_git::provenance::Provenance;
use becket_project::{
    Sandbox, Workspace,
    config::{self, StorePlace},
};
use becket_store::{
    LeaseBounds, LockPolicy, Options, Origin, Place, Policy, SpecStamp, Store, SyncReport, Verifier,
    Worktree,
    spec_file::{Loaded, Sheet, SpecError, SpecFile, Stat},
};

use super::flush::Flusher;
use crate::{Engine, Error, progress::tell, sandbox::refused_link, status::StatusRequest};

/// Kept by the engine between calls.
#[derive(Debug, Default)]
pub struct Coordination {
    stores: Mutex<BTreeMap<String, Opened>>,
    /// By folder: each remembers where the tasks of its file stand.
    specs: Mutex<BTreeMap<PathBuf, SpecFile>>,
    /// Set when the nearest `.lodestar/` upwards is the repository, as `lodestar` has it.
    nearest: OnceLock<()>,
    pub(super) flusher: Flusher,
    clone: OnceLock<String>,
}

#[derive(Debug)]
struct Opened {
    store: Arc<Store>,
    /// The file that was opened: another one in its place is opened anew.
    identity: Option<String>,
}

/// One worktree's tasks and the clone's store.
#[derive(Debug, Clone)]
pub(super) struct Board {
    pub(super) root: PathBuf,
    pub(super) spec: SpecFile,
    pub(super) store: Arc<Store>,
    pub(super) worktree: Worktree,
    pub(super) runtime: String,
    pub(super) sandbox: Sandbox,
    /// The worktree of Git around it, and the path of `.lodestar` inside.
    git: Option<(PathBuf, String)>,
}

pub(super) const FOLDER: &str = ".lodestar";

impl Engine {
    /// The nearest `.lodestar/` at or above where the server was started is the repository from now on: `lodestar` says so.
    pub fn coordinate_in_nearest_folder(&self) {
        let _ = self.coordinate.nearest.set(());
    }

    /// The board that a call speaks of, with definitions as fresh as the file.
    pub(super) fn tasks_board(&self, worktree: Option<&str>) -> Result<Board, Error> {
        let board = self.board(worktree)?;
        self.refresh(&board)?;
        Ok(board)
    }

    /// The board alone: for what needs no definitions, so that a broken `spec.yaml` does not keep agents from talking.
    pub(super) fn board(&self, worktree: Option<&str>) -> Result<Board, Error> {
        let (root, workspace) = self.board_root(worktree)?;
        let folder = root.join(FOLDER);
        let sandbox = self.sandbox()?.around(workspace.clone());
        let (store, runtime, key, newly) = self.store_of(&root, &workspace)?;
        let git = workspace.git_dir.is_some().then(|| {
            let inside = root.strip_prefix(&workspace.root).map(slashes).unwrap_or_default();
            (workspace.root.clone(), inside)
        });
        let spec = self.spec_of(&folder);
        let board = Board { spec, root, store, worktree: key, runtime, sandbox, git };
        if newly {
            // What a process that died had answered and not written.
            self.coordinate.flusher.nudge(&board);
        }
        Ok(board)
    }

    fn spec_of(&self, folder: &Path) -> SpecFile {
        let mut specs = self.coordinate.specs.lock().unwrap_or_else(PoisonError::into_inner);
        specs.entry(folder.to_owned()).or_insert_with(|| SpecFile::new(folder)).clone()
    }

    /// The folder that holds `.lodestar/`.
    pub(super) fn board_root(&self, worktree: Option<&str>) -> Result<(PathBuf, Workspace), Error> {
        let workspace = match worktree {
            None => self.workspace()?.clone(),
            Some(name) => {
                let request = StatusRequest { worktree: Some(name.to_owned()), ..StatusRequest::default() };
                let path = self.status(&request)?.worktree.map(|worktree| worktree.path);
                match path {
                    Some(path) => self.sandbox()?.admit_root(path)?,
                    None => self.workspace()?.clone(),
                }
            }
        };
        let start = if worktree.is_some() { workspace.root.clone() } else { workspace.start.clone() };
        let beyond = self.coordinate.nearest.get().is_some();
        let folders = || start.ancestors().take_while(|folder| beyond || folder.starts_with(&workspace.root));
        if let Some(root) = folders().find(|folder| is_folder(&folder.join(FOLDER))) {
            return Ok((root.to_owned(), workspace));
        }
        Err(folders().find_map(linked).unwrap_or_else(|| {
            Error::not_found(
                "lodestar_missing",
                format!("There is no `.lodestar/` folder in {} or above.", start.display()),
            )
            .with_hint("Run `lodestar init` (or `becket task init`) in the root of the repository.")
        }))
    }

    /// Opened once, and again when somebody put another file in its place.
    fn store_of(
        &self,
        root: &Path,
        workspace: &Workspace,
    ) -> Result<(Arc<Store>, String, Worktree, bool), Error> {
        let address = self.settings.optional_text(config::STORE_URL);
        let (place, within) = self.store_place(root, workspace)?;
        if address.is_none() {
            self.make_runtime_folder(root, workspace)?;
        }
        let shown = match &place {
            Place::Server(server) => server.to_string(),
            Place::File(file) => file.display().to_string(),
        };
        let key = if address.is_some_and(|address| address.contains("://")) {
            Worktree::new(format!("{}:{}", self.clone_id(workspace), root.display()))
        } else {
            Worktree::new(root.display().to_string())
        };
        let identity = match &place {
            Place::File(file) => Some(identity(file)),
            Place::Server(_) => None,
        };
        let mut stores = self.coordinate.stores.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(opened) = stores.get(&shown) {
            if opened.identity == identity
                || identity.as_deref() == Some("absent") && opened.store.is_read_only()
            {
                return Ok((Arc::clone(&opened.store), shown, key, false));
            }
        }
        let store = Arc::new(self.open_store(&place, within.as_deref(), workspace)?);
        let identity = match &place {
            Place::File(file) => Some(self::identity(file)),
            Place::Server(_) => None,
        };
        stores.insert(shown.clone(), Opened { store: Arc::clone(&store), identity });
        Ok((store, shown, key, true))
    }

    /// As the settings say, or beside the main worktree's `spec.yaml`; and of a file the folder that no link may lead out of.
    fn store_place(&self, root: &Path, workspace: &Workspace) -> Result<(Place, Option<PathBuf>), Error> {
        self.store_is_sound()?;
        let (file, within) =
            match self.settings.optional_text(config::STORE_URL).map(|text| (text, StorePlace::of(text))) {
                Some((address, StorePlace::Server)) => return Ok((Place::parse(address)?, None)),
                Some((_, StorePlace::File(path))) => {
                    let file = self.settings.place_of_store(workspace, path)?;
                    let is_told =
                        matches!(self.settings.source(config::STORE_URL.key()), config::Source::File { .. });
                    let within = if file.starts_with(&workspace.root) {
                        Some(workspace.root.clone())
                    } else {
                        file.parent().filter(|_| is_told).map(Path::to_owned)
                    };
                    (file, within)
                }
                None => {
                    let (folder, within) = runtime_place(root, workspace);
                    (folder.join("runtime.sqlite"), Some(within))
                }
            };
        Ok((Place::File(file), within))
    }

    /// The file that the store is in and what its links may not lead out of, or what stands in the place of one.
    pub(super) fn runtime_file(
        &self,
        root: &Path,
        workspace: &Workspace,
    ) -> Result<(PathBuf, Option<PathBuf>), String> {
        match self.store_place(root, workspace) {
            Ok((Place::File(file), within)) => Ok((file, within)),
            Ok((Place::Server(server), _)) => Err(server.to_string()),
            Err(error) => Err(error.message().to_owned()),
        }
    }

    /// Made where it is not there, unless nothing may be written.
    fn make_runtime_folder(&self, root: &Path, workspace: &Workspace) -> Result<(), Error> {
        let (folder, within) = runtime_place(root, workspace);
        if !folder.is_dir() && !self.settings.flag(config::MCP_READ_ONLY) {
            let made = becket_fence::place(&within, &folder).and_then(|folder| {
                fs_err::create_dir_all(&folder)?;
                super::init::write_ignore(&folder)
            });
            made.map_err(|error| {
                if let Some(refused) = refused_link(&error) {
                    return refused;
                }
                Error::unavailable("runtime_folder", format!("{} cannot be made.", folder.display()))
                    .with_hint("Check the permissions of the main worktree.")
                    .with_source(error)
            })?;
        }
        Ok(())
    }

    fn open_store(
        &self,
        place: &Place,
        within: Option<&Path>,
        workspace: &Workspace,
    ) -> Result<Store, Error> {
        let repository = match (self.settings.optional_text(config::STORE_REPOSITORY), place) {
            (Some(name), _) => name.to_owned(),
            // Only a server holds several; of a file it is only said, and not worth a walk through the history.
            (None, Place::Server(_)) => {
                root_commit(workspace).unwrap_or_else(|| workspace.root.display().to_string())
            }
            (None, Place::File(_)) => workspace.root.display().to_string(),
        };
        let options = |read_only| Options {
            repository: repository.clone(),
            policy: self.policy(),
            within: within.map(Path::to_owned),
            read_only,
            ..Options::new(place.clone())
        };
        if self.settings.flag(config::MCP_READ_ONLY) {
            return Ok(Store::open(&options(true))?);
        }
        match Store::open(&options(false)) {
            // What cannot be written can still be read.
            Err(becket_store::Error::ReadOnly { .. }) => Ok(Store::open(&options(true))?),
            opened => Ok(opened?),
        }
    }

    pub(super) fn policy(&self) -> Policy {
        let seconds = |key| self.settings.number(key);
        Policy {
            verify: match self.settings.text(config::COORDINATE_VERIFY) {
                "other-agent" => Verifier::OtherAgent,
                _ => Verifier::Anyone,
            },
            locks: match self.settings.text(config::COORDINATE_LOCKS) {
                "enforce" => LockPolicy::Enforce,
                _ => LockPolicy::Warn,
            },
            lease: LeaseBounds {
                min: seconds(config::COORDINATE_TTL_MIN),
                max: seconds(config::COORDINATE_TTL_MAX),
                default: seconds(config::COORDINATE_TTL),
            },
        }
    }

    /// One name per clone, so that the cursors of two machines with the same path are not one.
    fn clone_id(&self, workspace: &Workspace) -> String {
        self.coordinate
            .clone
            .get_or_init(|| {
                let path = workspace.cache_dir.join("clone-id");
                let known = || {
                    fs_err::read_to_string(&path)
                        .ok()
                        .map(|text| text.trim().to_owned())
                        .filter(|id| !id.is_empty())
                };
                known().unwrap_or_else(|| {
                    let made = random_hex();
                    let _ = becket_fence::cache::create_folder(&workspace.cache_dir);
                    // Two that start at once agree on whoever was first.
                    let _ = becket_project::files::create(&path, made.as_bytes());
                    known().unwrap_or(made)
                })
            })
            .clone()
    }

    /// Brings the store up to the file. Costs a `stat` and a lookup while nothing changed.
    pub(super) fn refresh(&self, board: &Board) -> Result<Option<SyncReport>, Error> {
        let Some(stat) = board.spec.stat()? else {
            return Err(SpecError::Missing { path: board.spec.path() }.into());
        };
        let known = board.store.spec_stamp(&board.worktree)?;
        if let Some(known) = &known {
            board.spec.trust(&known.hash);
        }
        if known.as_ref().is_some_and(|known| known.stat == stat_text(&stat, false)) {
            return Ok(None);
        }
        if known.is_some_and(|known| self.is_same(board, &known).unwrap_or(false)) {
            return Ok(None);
        }
        // What waits to be written is not in the file yet, and must not be read back as an edit.
        if !board.store.is_read_only() {
            self.flush_board(board)
                .unwrap_or_else(|error| tracing::debug!(%error, "not flushed before reading"));
        }
        let Some(report) = self.read_held(board)? else { return Ok(None) };
        for behind in report.behind.iter().take(5) {
            tracing::info!(task = %behind.task, file = behind.file.word(), store = behind.store.word(), "spec.yaml is behind the store; nothing is rolled back");
        }
        Ok(Some(report))
    }

    /// Between reading the file and telling the store, no other process may write a status into it: the older text would
    /// be taken for somebody's edit. Whoever waits for its turn so long that another did the work has nothing to do.
    fn read_held(&self, board: &Board) -> Result<Option<SyncReport>, Error> {
        const TURNS: usize = 4;
        if self.settings.flag(config::MCP_READ_ONLY) {
            return self.read_tasks(board);
        }
        let mut turns = 0;
        loop {
            turns += 1;
            match board.spec.held(|| self.read_tasks(board)) {
                Err(error) if error.code() == "spec_locked" && turns < TURNS => {
                    if let Some(known) = board.store.spec_stamp(&board.worktree)? {
                        if self.is_same(board, &known)? {
                            return Ok(None);
                        }
                    }
                }
                read => return read,
            }
        }
    }

    /// Whether the file has the content that the store knows; its new stamp is noted.
    fn is_same(&self, board: &Board, known: &SpecStamp) -> Result<bool, Error> {
        let (hash, stat) = board.spec.hash()?;
        let stamp = SpecStamp { stat: stat_text(&stat, true), hash };
        let is_same = known.hash == stamp.hash;
        if is_same && known.stat != stamp.stat {
            board.store.touch_stamp(&board.worktree, &stamp)?;
        }
        Ok(is_same)
    }

    /// Nothing where somebody else has read the same content meanwhile. The file's lock is held.
    fn read_tasks(&self, board: &Board) -> Result<Option<SyncReport>, Error> {
        if let Some(known) = board.store.spec_stamp_at_once(&board.worktree)? {
            if self.is_same(board, &known)? {
                return Ok(None);
            }
        }
        tell("reading spec.yaml", 0, None);
        let loaded = board.spec.read()?;
        let count = loaded.spec.tasks.len();
        tell("taking over tasks", 0, Some(count));
        let origin = || board.origin(&loaded.text);
        let report = board.store.sync_from(&board.worktree, &stamp(&loaded), &origin, &loaded.spec.tasks)?;
        tell("taking over tasks", count, Some(count));
        Ok(Some(report))
    }
}

impl Board {
    /// What a fresh checkout brought is older news; what differs from it was edited.
    fn origin(&self, text: &str) -> Origin {
        let Some((worktree, inside)) = &self.git else { return Origin::Edit };
        let path = if inside.is_empty() {
            ".lodestar/spec.yaml".to_owned()
        } else {
            format!("{inside}/.lodestar/spec.yaml")
        };
        let committed = Provenance::new(worktree.as_path(), "").blob(&format!("HEAD:{path}")).ok().flatten();
        let lines = |text: &str| text.replace("\r\n", "\n");
        match committed.and_then(|bytes| String::from_utf8(bytes).ok()) {
            Some(committed) if lines(&committed) == lines(text) => Origin::Checkout,
            _ => Origin::Edit,
        }
    }
}

/// Of a reading.
fn stamp(loaded: &Loaded) -> SpecStamp {
    SpecStamp { stat: stat_text(&loaded.stat, true), hash: loaded.hash.clone() }
}

/// Of a change.
pub(super) fn stamp_of(sheet: &Sheet) -> SpecStamp {
    SpecStamp { stat: stat_text(&sheet.stat, true), hash: sheet.hash.clone() }
}

/// A file that was changed a moment ago may change again within the same tick of its clock: such a stamp never matches, so
/// that the content is looked at once more.
fn stat_text(stat: &Stat, settled: bool) -> String {
    let now = Timestamp::now().as_nanosecond();
    let fresh = settled && now - stat.modified < 100_000_000 && now >= stat.modified;
    let text = format!("{}:{}:{}", stat.size, stat.modified, stat.identity);
    if fresh { format!("{text}?") } else { text }
}

/// Where the runtime of a clone lives: beside the main worktree's `spec.yaml`; of a bare repository in its own folder. And
/// the folder that it may not be led out of.
fn runtime_place(root: &Path, workspace: &Workspace) -> (PathBuf, PathBuf) {
    let inside = root.strip_prefix(&workspace.root).unwrap_or(Path::new(""));
    let outside = !root.starts_with(&workspace.root);
    match &workspace.main_root {
        _ if outside => (root.join(FOLDER), root.to_owned()),
        Some(main) => (main.join(inside).join(FOLDER), main.clone()),
        None => {
            let own = &workspace.cache_dir;
            let within = if own.is_dir() { own } else { own.parent().unwrap_or(own) };
            (own.join("lodestar").join(inside), within.to_owned())
        }
    }
}

/// What is said of a link in the place of a folder's `.lodestar/`.
fn linked(folder: &Path) -> Option<Error> {
    let path = folder.join(FOLDER);
    let found = becket_fence::place(folder, &path).and_then(|_| becket_fence::no_link(&path));
    refused_link(&found.err()?)
}

pub(super) fn is_folder(path: &Path) -> bool {
    fs_err::symlink_metadata(path).is_ok_and(|metadata| metadata.is_dir())
}

#[cfg(unix)]
fn identity(file: &Path) -> String {
    use std::os::unix::fs::MetadataExt;
    fs_err::metadata(file)
        .map_or_else(|_| "absent".to_owned(), |metadata| format!("{}:{}", metadata.dev(), metadata.ino()))
}

#[cfg(not(unix))]
fn identity(file: &Path) -> String {
    let created = fs_err::metadata(file).and_then(|metadata| metadata.created());
    let since = created.ok().and_then(|time| time.duration_since(std::time::SystemTime::UNIX_EPOCH).ok());
    since.map_or_else(|| "absent".to_owned(), |since| since.as_nanos().to_string())
}

/// The first commit of the history: the same in every clone of it.
fn root_commit(workspace: &Workspace) -> Option<String> {
    workspace.git_dir.as_ref()?;
    becket_git::root_commit(workspace.root.as_path()).ok().flatten()
}

fn slashes(path: &Path) -> String {
    path.components()
        .map(|part| part.as_os_str().to_string_lossy().into_owned())
        .collect::<Vec<_>>()
        .join("/")
}

/// For names that must not be guessed twice.
pub(super) fn random_hex() -> String {
    let mut bytes = [0_u8; 8];
    // Without randomness the time still tells calls apart.
    if getrandom::fill(&mut bytes).is_err() {
        let now = Timestamp::now().as_nanosecond().to_le_bytes();
        bytes.iter_mut().zip(now).for_each(|(byte, part)| *byte = part);
    }
    bytes.iter().map(|byte| format!("{byte:02x}")).collect::<Vec<_>>().concat()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_stamp_of_a_file_that_was_just_written_matches_no_stat() {
        let now = Timestamp::now().as_nanosecond();
        let fresh = Stat { size: 1, modified: now, identity: "x".to_owned() };
        assert_ne!(stat_text(&fresh, true), stat_text(&fresh, false));
        let old = Stat { modified: now - 1_000_000_000, ..fresh.clone() };
        assert_eq!(stat_text(&old, true), stat_text(&old, false));
        // A clock that was set back leaves files of the future behind: those do not change by waiting.
        let future = Stat { modified: now + 60_000_000_000, ..fresh };
        assert_eq!(stat_text(&future, true), stat_text(&future, false));
    }

    #[test]
    fn names_are_not_guessed_twice() {
        assert_ne!(random_hex(), random_hex());
        assert_eq!(random_hex().len(), 16);
    }
}
