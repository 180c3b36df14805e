//! What is not committed: staged and unstaged changes from two separate diffs, merged by path, and untracked files.
//! It owns the order and the ids of changes; what to make of them is `becket_commits`'s.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::thread;

use becket_diff::{CombinedChange, Content, Entry, FileChange, FilePath, Hunk, Limits, Mode, Status};

use crate::error::GitError;
use crate::filters::without_own_filters;
use crate::patch::{ANSWER_LIMITS, Renames, as_patch, read_patch};
use crate::path::to_native;
use crate::private_index::PrivateIndex;
use crate::process::Git;
use crate::read::at_root;
use crate::status::{ConflictKind, conflicts};
use crate::submodules::with_own_changes;
use crate::untracked::{Untracked, UntrackedFiles, find_untracked};

#[derive(Debug, Clone)]
pub struct ChangesOptions {
    pub untracked: Untracked,
    /// Lines of context around a change.
    pub context: u32,
    /// How much of the patches is kept.
    pub limits: Limits,
    /// How many untracked files are listed.
    pub untracked_limit: usize,
}

impl Default for ChangesOptions {
    fn default() -> Self {
        Self { untracked: Untracked::Include, context: 3, limits: ANSWER_LIMITS, untracked_limit: 20_000 }
    }
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ChangeList {
    /// Sorted by the bytes of the path; `change-1` is the first.
    pub changes: Vec<Change>,
    /// What this list does not say.
    pub notices: Vec<Notice>,
}

/// All that happened to one path since the last commit.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Change {
    pub id: String,
    pub path: FilePath,
    /// Between the last commit and the index. One entry, or two where the type changed: a deletion and an addition.
    pub staged: Vec<FileChange>,
    /// Between the index and the file.
    pub unstaged: Vec<FileChange>,
    pub conflict: Option<Conflict>,
    /// Git does not know the file. `unstaged` shows it as it would be added, unless it could not be read.
    pub untracked: bool,
    /// A folder with a repository of its own, which is no submodule.
    pub nested_repository: bool,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Conflict {
    pub kind: ConflictKind,
    /// The file against both sides, where there is something to show.
    pub combined: Option<CombinedChange>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum ChangeKind {
    Added,
    Deleted,
    Modified,
    Renamed,
    Copied,
    /// Only the mode.
    ModeChanged,
    /// From a file to a link, say.
    TypeChanged,
    Untracked,
    NestedRepository,
    Conflict,
}

/// What sort of file a change is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum FileKind {
    Text,
    Binary,
    Symlink,
    Submodule,
}

/// How many paths a notice names.
const NAMED: usize = 20;

/// Something that a list of changes leaves out or does otherwise than Git.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Notice {
    /// Filters that only the repository's own configuration names were not run.
    FiltersNotRun { names: Vec<String> },
    /// There are more untracked files; those that are listed have no content.
    UntrackedCut { listed: usize, omitted: usize },
    /// Git could not read some untracked file; they are listed without content.
    UntrackedNotRead { reason: String },
    /// Submodules with changes of their own: they are committed in there.
    SubmodulesChanged { paths: Vec<FilePath> },
    /// Changes of which only the beginning is there.
    ContentCut { changes: usize },
}

/// Lists what is not committed in the worktree that holds `git`'s directory. Paths are relative to its root.
pub fn list_changes(git: impl Into<Git>, options: &ChangesOptions) -> Result<ChangeList, GitError> {
    let (git, own_filters) = without_own_filters(at_root(git.into())?)?;
    let (staged, unstaged) = thread::scope(|scope| {
        let staged = scope.spawn(|| diff_entries(&git, &["--cached"], Renames::Find, options));
        let unstaged = read_unstaged(&git, options);
        (staged.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic)), unstaged)
    });
    let (staged, unstaged) = (staged?, unstaged?);
    let in_conflict = staged.iter().chain(&unstaged.entries).any(|entry| !matches!(entry, Entry::File(_)));
    let unmerged = if in_conflict { conflicts(&git)? } else { BTreeMap::new() };
    let changes = merge(unmerged, staged, unstaged.entries, &unstaged.untracked);

    let mut notices = Vec::new();
    if !own_filters.is_empty() {
        notices.push(Notice::FiltersNotRun { names: own_filters });
    }
    let omitted = unstaged.untracked.omitted;
    if omitted > 0 {
        notices.push(Notice::UntrackedCut { listed: options.untracked_limit, omitted });
    }
    notices.extend(unstaged.not_read.map(|reason| Notice::UntrackedNotRead { reason }));
    let paths = with_own_changes(&git, options.untracked)?;
    if !paths.is_empty() {
        notices.push(Notice::SubmodulesChanged { paths });
    }
    let cut = changes.iter().filter(|change| change.is_cut()).count();
    if cut > 0 {
        notices.push(Notice::ContentCut { changes: cut });
    }
    Ok(ChangeList { changes, notices })
}

impl Change {
    /// What happened, told of the staged part first.
    pub fn kind(&self) -> ChangeKind {
        if self.conflict.is_some() {
            return ChangeKind::Conflict;
        }
        if self.nested_repository {
            return ChangeKind::NestedRepository;
        }
        let part = part_kind(&self.staged).or_else(|| part_kind(&self.unstaged));
        match part {
            Some(ChangeKind::Added) | None if self.untracked => ChangeKind::Untracked,
            Some(kind) => kind,
            None => ChangeKind::Modified,
        }
    }

    pub fn staged_kind(&self) -> Option<ChangeKind> {
        part_kind(&self.staged)
    }

    pub fn unstaged_kind(&self) -> Option<ChangeKind> {
        part_kind(&self.unstaged)
    }

    pub fn file_kind(&self) -> FileKind {
        let mode = self.parts().last().and_then(FileChange::mode);
        match mode {
            Some(Mode::SUBMODULE) => FileKind::Submodule,
            Some(Mode::SYMLINK) => FileKind::Symlink,
            _ => {
                let combined = self.conflict.as_ref().and_then(|conflict| conflict.combined.as_ref());
                let binary = self.parts().any(|part| part.content == Content::Binary);
                let is_binary = binary || combined.is_some_and(|combined| combined.binary);
                if is_binary { FileKind::Binary } else { FileKind::Text }
            }
        }
    }

    /// Where a renamed or copied file came from.
    pub fn old_path(&self) -> Option<&FilePath> {
        let moved = self.parts().find(|part| matches!(part.status, Status::Renamed | Status::Copied));
        moved.and_then(|part| part.old.as_ref()).map(|side| &side.path)
    }

    /// Staged hunks first, then unstaged ones.
    pub fn hunks(&self) -> impl Iterator<Item = &Hunk> {
        self.parts().flat_map(FileChange::hunks)
    }

    pub fn is_cut(&self) -> bool {
        let combined = self.conflict.as_ref().and_then(|conflict| conflict.combined.as_ref());
        self.parts().any(|part| !part.omitted.is_nothing())
            || combined.is_some_and(|combined| !combined.omitted.is_nothing())
    }

    fn parts(&self) -> impl Iterator<Item = &FileChange> {
        self.staged.iter().chain(&self.unstaged)
    }

    fn at(path: FilePath) -> Self {
        Self {
            id: String::new(),
            path,
            staged: Vec::new(),
            unstaged: Vec::new(),
            conflict: None,
            untracked: false,
            nested_repository: false,
        }
    }
}

fn part_kind(part: &[FileChange]) -> Option<ChangeKind> {
    match part {
        [] => None,
        [change] => Some(match change.status {
            Status::Added => ChangeKind::Added,
            Status::Deleted => ChangeKind::Deleted,
            Status::Renamed => ChangeKind::Renamed,
            Status::Copied => ChangeKind::Copied,
            Status::Modified if change.content == Content::Same && change.mode_changed() => {
                ChangeKind::ModeChanged
            }
            Status::Modified => ChangeKind::Modified,
        }),
        _ => Some(ChangeKind::TypeChanged),
    }
}

impl fmt::Display for Notice {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::FiltersNotRun { names } => write!(
                formatter,
                "filters of the repository's own configuration were not run: {}; configure them globally to use them",
                names.join(", ")
            ),
            Self::UntrackedCut { listed, omitted } => {
                write!(
                    formatter,
                    "{omitted} more untracked {} not listed, and the {listed} that are have no content",
                    if *omitted == 1 { "file is" } else { "files are" }
                )
            }
            Self::UntrackedNotRead { reason } => {
                write!(
                    formatter,
                    "untracked files are listed without content, because Git could not read one: {reason}"
                )
            }
            Self::SubmodulesChanged { paths } => {
                let named: Vec<String> = paths.iter().take(NAMED).map(ToString::to_string).collect();
                let named = named.join(", ");
                let more = match paths.len().saturating_sub(NAMED) {
                    0 => String::new(),
                    more => format!(" and {more} more"),
                };
                write!(
                    formatter,
                    "submodules with changes of their own, which are committed in there and cannot be committed here: {named}{more}"
                )
            }
            Self::ContentCut { changes: 1 } => formatter.write_str("1 change is too long and was cut"),
            Self::ContentCut { changes } => write!(formatter, "{changes} changes are too long and were cut"),
        }
    }
}

/// What happened in both steps, by path, numbered.
pub(crate) fn merge(
    conflicts: BTreeMap<FilePath, ConflictKind>,
    staged: Vec<Entry>,
    unstaged: Vec<Entry>,
    untracked: &UntrackedFiles,
) -> Vec<Change> {
    let mut list = Merge::default();
    list.take_conflicts(conflicts);
    for entry in staged {
        list.take(entry, |change| &mut change.staged);
    }
    for entry in unstaged {
        list.take(entry, |change| &mut change.unstaged);
    }
    list.take_untracked(untracked);
    list.finish()
}

struct Unstaged {
    entries: Vec<Entry>,
    untracked: UntrackedFiles,
    not_read: Option<String>,
}

fn read_unstaged(git: &Git, options: &ChangesOptions) -> Result<Unstaged, GitError> {
    let untracked = match options.untracked {
        Untracked::Include => find_untracked(git, options.untracked_limit)?,
        Untracked::Exclude => UntrackedFiles::default(),
    };
    if untracked.files.is_empty() || untracked.omitted > 0 {
        let mut entries = diff_entries(git, &[], Renames::Find, options)?;
        forget_gone_intents(git, &mut entries)?;
        return Ok(Unstaged { entries, untracked, not_read: None });
    }
    let with_untracked = || {
        let index = PrivateIndex::with_untracked(git, untracked.files.len())?;
        let private = index.git(git);
        if index.is_complete {
            return diff_entries(&private, &[], Renames::Find, options);
        }
        let mut entries = diff_entries(git, &[], Renames::Find, options)?;
        let added = diff_entries(&private, &[], Renames::Ignore, options)?;
        entries.extend(added.into_iter().filter(|entry| match entry {
            Entry::File(change) => {
                change.status == Status::Added
                    && change.path().is_some_and(|path| untracked.files.contains(path))
            }
            Entry::Combined(_) | Entry::Unmerged(_) => false,
        }));
        Ok(entries)
    };
    let (mut entries, not_read) = match with_untracked() {
        Ok(entries) => (entries, None),
        Err(GitError::Failed { stderr, .. }) => {
            (diff_entries(git, &[], Renames::Find, options)?, Some(stderr))
        }
        Err(error) => return Err(error),
    };
    forget_gone_intents(git, &mut entries)?;
    Ok(Unstaged { entries, untracked, not_read })
}

/// A file that was only intended to be added, and is gone, is in no tree: there is nothing to commit. Git shows it as an
/// empty file that was deleted, which a real one may be too.
fn forget_gone_intents(git: &Git, entries: &mut Vec<Entry>) -> Result<(), GitError> {
    let gone = |entry: &Entry| match entry {
        Entry::File(change) if change.status == Status::Deleted && change.content == Content::Same => {
            change.path().cloned()
        }
        _ => None,
    };
    let candidates: Vec<FilePath> = entries.iter().filter_map(gone).collect();
    let mut intended: BTreeSet<FilePath> = BTreeSet::new();
    // As many at a time as any command line can take.
    for some in candidates.chunks(100) {
        let options =
            ["--cached", "--ita-visible-in-index", "--diff-filter=A", "--name-only", "-z", "--no-renames"];
        let command = git.command("diff").options(options);
        let command = some.iter().fold(command, |command, path| command.path(to_native(path.as_bytes())));
        let found = command.output()?;
        intended.extend(found.split(|byte| *byte == 0).filter(|path| !path.is_empty()).map(FilePath::new));
    }
    entries.retain(|entry| gone(entry).is_none_or(|path| !intended.contains(&path)));
    Ok(())
}

fn diff_entries(
    git: &Git,
    which: &[&str],
    renames: Renames,
    options: &ChangesOptions,
) -> Result<Vec<Entry>, GitError> {
    let mut entries = Vec::new();
    let command = as_patch(git.command("diff").options(which), options.context, renames);
    read_patch(command, options.limits, &mut |entry| entries.push(entry))?;
    Ok(entries)
}

/// Changes by path while they are brought together.
#[derive(Default)]
struct Merge {
    changes: BTreeMap<FilePath, Change>,
}

impl Merge {
    fn at(&mut self, path: &FilePath) -> &mut Change {
        self.changes.entry(path.clone()).or_insert_with(|| Change::at(path.clone()))
    }

    fn take(&mut self, entry: Entry, part: impl Fn(&mut Change) -> &mut Vec<FileChange>) {
        match entry {
            Entry::File(change) => {
                if let Some(path) = change.path().cloned() {
                    part(self.at(&path)).push(change);
                }
            }
            Entry::Combined(combined) => {
                if let Some(conflict) =
                    self.changes.get_mut(&combined.path).and_then(|change| change.conflict.as_mut())
                {
                    conflict.combined = Some(combined);
                }
            }
            // Named by `conflicts`, which tells the kind, too.
            Entry::Unmerged(_) => {}
        }
    }

    fn take_conflicts(&mut self, conflicts: BTreeMap<FilePath, ConflictKind>) {
        for (path, kind) in conflicts {
            self.at(&path).conflict = Some(Conflict { kind, combined: None });
        }
    }

    fn take_untracked(&mut self, untracked: &UntrackedFiles) {
        for path in &untracked.files {
            self.at(path).untracked = true;
        }
        for path in &untracked.repositories {
            let change = self.at(path);
            change.untracked = true;
            change.nested_repository = true;
        }
    }

    fn finish(self) -> Vec<Change> {
        let numbered = self.changes.into_values().zip(1..);
        numbered.map(|(change, number)| Change { id: format!("change-{number}"), ..change }).collect()
    }
}
