//! The state of a worktree at a glance: branch, upstream, paths that differ, and operations under way. What differs in
//! them is `changes`'s.

use std::collections::BTreeMap;

use becket_diff::FilePath;

use crate::error::GitError;
use crate::process::Git;
use crate::read::{Head, Location, locate, unexpected};
use crate::untracked::Untracked;

#[derive(Debug, Clone)]
pub struct StatusOptions {
    pub untracked: Untracked,
    /// How many paths each list has at most.
    pub limit: usize,
}

impl Default for StatusOptions {
    fn default() -> Self {
        Self { untracked: Untracked::Include, limit: 1000 }
    }
}

/// Each list is sorted by path, and bounded; the counts tell how many there are.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TreeStatus {
    pub location: Location,
    pub head: Head,
    pub upstream: Option<Upstream>,
    pub staged: Vec<StatusEntry>,
    pub staged_count: usize,
    pub unstaged: Vec<StatusEntry>,
    pub unstaged_count: usize,
    pub untracked: Vec<FilePath>,
    pub untracked_count: usize,
    pub conflicts: Vec<(FilePath, ConflictKind)>,
    pub conflicts_count: usize,
    /// What was begun and is neither finished nor given up.
    pub operations: Vec<Operation>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Upstream {
    /// As in `origin/main`.
    pub name: String,
    /// Commits that the upstream does not have, and that only it has; none when it is gone.
    pub ahead_behind: Option<(u32, u32)>,
}

#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct StatusEntry {
    pub path: FilePath,
    /// Of a rename or copy.
    pub old_path: Option<FilePath>,
    pub state: FileState,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum FileState {
    Added,
    Modified,
    Deleted,
    Renamed,
    Copied,
    TypeChanged,
}

/// Which sides of a merge changed a path, as Git's two letters tell it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum ConflictKind {
    BothModified,
    BothAdded,
    BothDeleted,
    AddedByUs,
    AddedByThem,
    DeletedByUs,
    DeletedByThem,
}

impl ConflictKind {
    /// Git's letters, ours first.
    pub fn letters(self) -> &'static str {
        match self {
            Self::BothModified => "UU",
            Self::BothAdded => "AA",
            Self::BothDeleted => "DD",
            Self::AddedByUs => "AU",
            Self::AddedByThem => "UA",
            Self::DeletedByUs => "DU",
            Self::DeletedByThem => "UD",
        }
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Operation {
    Merge,
    Rebase,
    ApplyMailbox,
    CherryPick,
    Revert,
    Bisect,
}

/// The state of the worktree that holds `git`'s directory.
pub fn repo_status(git: impl Into<Git>, options: &StatusOptions) -> Result<TreeStatus, GitError> {
    let git = git.into();
    let location = locate(&git)?.ok_or_else(|| GitError::NotARepository { dir: git.dir().to_path_buf() })?;
    let Some(root) = &location.worktree else {
        return Err(GitError::NoWorktree { dir: git.dir().to_path_buf() });
    };
    let git = git.in_dir(root);
    let untracked = match options.untracked {
        Untracked::Include => "--untracked-files=all",
        Untracked::Exclude => "--untracked-files=no",
    };
    let output = git
        .command("status")
        .options(["--porcelain=v2", "-z", "--branch", "--ahead-behind"])
        .options(["--find-renames=50%", untracked])
        .output()?;
    let operations = operations(&git, &location)?;
    let mut status = parse(&output, location, operations).ok_or_else(|| unexpected("status", &output))?;
    status.staged.sort();
    status.unstaged.sort();
    status.untracked.sort();
    status.conflicts.sort();
    status.staged.truncate(options.limit);
    status.unstaged.truncate(options.limit);
    status.untracked.truncate(options.limit);
    status.conflicts.truncate(options.limit);
    Ok(status)
}

/// Every unmerged path, and how it is.
pub(crate) fn conflicts(git: &Git) -> Result<BTreeMap<FilePath, ConflictKind>, GitError> {
    let output = git.command("ls-files").options(["--unmerged", "-z"]).output()?;
    let mut stages: BTreeMap<FilePath, [bool; 3]> = BTreeMap::new();
    for record in output.split(|byte| *byte == 0).filter(|record| !record.is_empty()) {
        let tab =
            record.iter().position(|byte| *byte == b'\t').ok_or_else(|| unexpected("ls-files", record))?;
        let stage = match record[..tab].last() {
            Some(b'1') => 0,
            Some(b'2') => 1,
            Some(b'3') => 2,
            _ => return Err(unexpected("ls-files", record)),
        };
        stages.entry(FilePath::new(&record[tab + 1..])).or_default()[stage] = true;
    }
    Ok(stages
        .into_iter()
        .map(|(path, [base, ours, theirs])| (path, conflict_kind(base, ours, theirs)))
        .collect())
}

/// What a path is, from which of its three versions there are.
fn conflict_kind(base: bool, ours: bool, theirs: bool) -> ConflictKind {
    match (base, ours, theirs) {
        (true, true, true) => ConflictKind::BothModified,
        (false, true, true) => ConflictKind::BothAdded,
        (_, false, false) => ConflictKind::BothDeleted,
        (true, true, false) => ConflictKind::DeletedByThem,
        (true, false, true) => ConflictKind::DeletedByUs,
        (false, true, false) => ConflictKind::AddedByUs,
        (false, false, true) => ConflictKind::AddedByThem,
    }
}

fn parse(output: &[u8], location: Location, operations: Vec<Operation>) -> Option<TreeStatus> {
    let mut oid = String::new();
    let mut branch = String::new();
    let mut upstream: Option<Upstream> = None;
    let (mut staged, mut unstaged, mut untracked, mut conflicts) =
        (Vec::new(), Vec::new(), Vec::new(), Vec::new());
    let mut records = output.split(|byte| *byte == 0);
    while let Some(record) = records.next() {
        if let Some(header) = record.strip_prefix(b"# branch.") {
            let header = String::from_utf8_lossy(header);
            let (key, value) = header.split_once(' ')?;
            match key {
                "oid" => value.clone_into(&mut oid),
                "head" => value.clone_into(&mut branch),
                "upstream" => upstream = Some(Upstream { name: value.to_owned(), ahead_behind: None }),
                "ab" => {
                    let (ahead, behind) = value.split_once(' ')?;
                    let counts = (
                        ahead.trim_start_matches('+').parse().ok(),
                        behind.trim_start_matches('-').parse().ok(),
                    );
                    upstream.as_mut()?.ahead_behind = counts.0.zip(counts.1);
                }
                _ => {}
            }
            continue;
        }
        match record.first() {
            Some(b'?') => untracked.push(FilePath::new(record.get(2..)?)),
            Some(b'u') => {
                let fields = fields::<11>(record)?;
                conflicts.push((FilePath::new(fields[10]), letters_kind(fields[1])?));
            }
            Some(b'1') => {
                let fields = fields::<9>(record)?;
                take_states(fields[1], &FilePath::new(fields[8]), None, &mut staged, &mut unstaged)?;
            }
            Some(b'2') => {
                let fields = fields::<10>(record)?;
                let old = FilePath::new(records.next()?);
                take_states(fields[1], &FilePath::new(fields[9]), Some(&old), &mut staged, &mut unstaged)?;
            }
            // The end, an ignored path, or a header of a later git.
            _ => {}
        }
    }
    let head = match (oid.as_str(), branch.as_str()) {
        ("(initial)", _) => Head::Unborn { name: branch },
        (_, "(detached)") => Head::Detached { commit: oid },
        _ => Head::Branch { name: branch, commit: oid },
    };
    Some(TreeStatus {
        location,
        head,
        upstream,
        staged_count: staged.len(),
        staged,
        unstaged_count: unstaged.len(),
        unstaged,
        untracked_count: untracked.len(),
        untracked,
        conflicts_count: conflicts.len(),
        conflicts,
        operations,
    })
}

/// The fields of a record; the last one is a path and takes the rest.
fn fields<const COUNT: usize>(record: &[u8]) -> Option<[&[u8]; COUNT]> {
    record.splitn(COUNT, |byte| *byte == b' ').collect::<Vec<_>>().try_into().ok()
}

fn letters_kind(letters: &[u8]) -> Option<ConflictKind> {
    use ConflictKind::{
        AddedByThem, AddedByUs, BothAdded, BothDeleted, BothModified, DeletedByThem, DeletedByUs,
    };
    [BothModified, BothAdded, BothDeleted, AddedByUs, AddedByThem, DeletedByUs, DeletedByThem]
        .into_iter()
        .find(|kind| kind.letters().as_bytes() == letters)
}

fn take_states(
    letters: &[u8],
    path: &FilePath,
    old_path: Option<&FilePath>,
    staged: &mut Vec<StatusEntry>,
    unstaged: &mut Vec<StatusEntry>,
) -> Option<()> {
    let [in_index, in_worktree] = letters.try_into().ok()?;
    for (letter, list) in [(in_index, staged), (in_worktree, unstaged)] {
        let state = match letter {
            b'.' => continue,
            b'A' => FileState::Added,
            b'M' => FileState::Modified,
            b'D' => FileState::Deleted,
            b'R' => FileState::Renamed,
            b'C' => FileState::Copied,
            b'T' => FileState::TypeChanged,
            _ => return None,
        };
        let moved = matches!(state, FileState::Renamed | FileState::Copied);
        list.push(StatusEntry { path: path.clone(), old_path: old_path.filter(|_| moved).cloned(), state });
    }
    Some(())
}

pub(crate) fn operations(git: &Git, location: &Location) -> Result<Vec<Operation>, GitError> {
    let has = |name: &str| location.git_dir.join(name).exists();
    // Where references are in tables, these two are no files.
    let in_tables = location.common_dir.join("reftable").exists();
    let has_reference = |name: &'static str| {
        if !in_tables || has(name) {
            return Ok(has(name));
        }
        let verify = git.command("rev-parse").options(["--verify", "--quiet"]).revision(name);
        verify.output_unless(&[1]).map(|(code, _)| code == 0)
    };
    let applying = has("rebase-apply/applying");
    let found = [
        (Operation::Merge, has("MERGE_HEAD")),
        (Operation::Rebase, has("rebase-merge") || (has("rebase-apply") && !applying)),
        (Operation::ApplyMailbox, applying),
        (Operation::CherryPick, has_reference("CHERRY_PICK_HEAD")?),
        (Operation::Revert, has_reference("REVERT_HEAD")?),
        (Operation::Bisect, has("BISECT_LOG")),
    ];
    Ok(found.into_iter().filter(|(_, present)| *present).map(|(operation, _)| operation).collect())
}
