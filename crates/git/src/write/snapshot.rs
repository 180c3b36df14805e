//! The dirty tree as Git would commit it: the trees of the last commit, the index and the worktree, and what differs
//! between them. Taken in a copy of the index; the user's index and files are only read.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use becket_diff::{Entry, FileChange, FilePath, Limits, Mode};
use serde::{Deserialize, Serialize};

use super::edit::{Blob, StoredEdit, enter};
use super::error::WriteError;
use crate::changes::{Change, merge};
use crate::error::GitError;
use crate::filters::without_own_filters;
use crate::patch::{Renames, as_patch, read_patch};
use crate::private_index::{copy_index, git_path, with_index, with_objects};
use crate::process::{Flow, Git};
use crate::read::{at_root, head, text, unexpected};
use crate::status::conflicts;
use crate::submodules::{hide, moved};
use crate::untracked::{Untracked, UntrackedFiles, find_untracked};

/// What a plan keeps of patches: more than an answer shows, since all of it is to be committed.
pub const PLAN_LIMITS: Limits = Limits { line: usize::MAX, file: 8 << 20, total: 64 << 20 };

#[derive(Debug, Clone)]
pub struct SnapshotOptions {
    pub objects: Objects,
    pub filters: Filters,
    /// How much of the patches is kept; of a file that is cut, only its whole can be committed.
    pub limits: Limits,
    pub untracked: Untracked,
    /// How many untracked files are taken in, as in a list of changes.
    pub untracked_limit: usize,
}

/// Where what is not stored yet goes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Objects {
    /// Into the repository, for a commit.
    Repository,
    /// Into a folder of our own, so that looking leaves no trace in the repository.
    Folder(PathBuf),
}

/// Which clean filters are run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Filters {
    /// Those that the user has configured; see [`crate::changes`].
    Users,
    /// Those of the repository's own configuration too, as in a commit.
    All,
}

impl Default for SnapshotOptions {
    fn default() -> Self {
        Self {
            objects: Objects::Repository,
            filters: Filters::Users,
            limits: PLAN_LIMITS,
            untracked: Untracked::Include,
            untracked_limit: 20_000,
        }
    }
}

/// The three trees that a snapshot is of. They can be kept, and the snapshot made of them again.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Trees {
    /// The last commit; nothing before the first.
    pub commit: Option<String>,
    pub head: String,
    pub index: String,
    pub worktree: String,
    /// Folders that are repositories of their own, as text: they are changes too, and cannot be committed.
    pub nested: Vec<String>,
    /// Whether files that Git does not know were left out.
    #[serde(default)]
    pub tracked_only: bool,
}

#[derive(Debug, Clone)]
pub struct Snapshot {
    pub trees: Trees,
    /// As [`crate::list_changes`] numbers them.
    pub changes: Vec<Change>,
    /// Path → what is stored for it on both sides of the index's differences from the last commit.
    pub staged: BTreeMap<FilePath, BlobSides>,
    /// The same for the worktree's differences from the index.
    pub unstaged: BTreeMap<FilePath, BlobSides>,
}

/// What was found while the trees were taken.
#[derive(Debug, Clone)]
pub struct Taken {
    pub snapshot: Snapshot,
    /// Filters of the repository's own configuration that were not run.
    pub filters_not_run: Vec<String>,
    pub untracked_omitted: usize,
}

#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct BlobSides {
    pub old: Option<Blob>,
    pub new: Option<Blob>,
}

/// One file in one step of a change.
#[derive(Debug, Clone, Copy)]
pub struct Step<'a> {
    pub change: &'a Change,
    pub stage: StepStage,
    pub file: &'a FileChange,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum StepStage {
    Staged,
    Unstaged,
}

impl Snapshot {
    /// Every file of every change, in order: by path, staged first.
    pub fn steps(&self) -> impl Iterator<Item = Step<'_>> {
        self.changes.iter().flat_map(|change| {
            let step = move |stage| move |file| Step { change, stage, file };
            let staged = change.staged.iter().map(step(StepStage::Staged));
            staged.chain(change.unstaged.iter().map(step(StepStage::Unstaged)))
        })
    }
}

/// Takes a snapshot of the worktree that holds `git`'s directory.
pub fn snapshot(git: impl Into<Git>, options: &SnapshotOptions) -> Result<Taken, WriteError> {
    let git = at_root(git.into())?;
    let unmerged: Vec<FilePath> = conflicts(&git)?.into_keys().collect();
    if !unmerged.is_empty() {
        return Err(WriteError::Unmerged { paths: unmerged });
    }
    let (git, filters_not_run) = match options.filters {
        Filters::Users => without_own_filters(git)?,
        Filters::All => (git.with_filters_checked(), Vec::new()),
    };
    let dir = tempfile::tempdir().map_err(WriteError::io("making a folder for an index"))?;
    let copy = dir.path().join("index");
    let index = git_path(&git, "index")?;
    copy_index(&index, &copy).map_err(WriteError::io("copying the index"))?;
    let mut private = with_index(&git, &copy);
    if let Objects::Folder(folder) = &options.objects {
        fs_err::create_dir_all(folder).map_err(WriteError::io("making a folder for objects"))?;
        private = with_objects(private, folder, &git_path(&git, "objects")?);
    }
    let commit = head(&git)?.commit().map(str::to_owned);
    let index = write_tree(&private)?;
    let untracked = match options.untracked {
        Untracked::Include => find_untracked(&git, options.untracked_limit)?,
        Untracked::Exclude => UntrackedFiles::default(),
    };
    add_everything(&git, &private, &untracked)?;
    let worktree = write_tree(&private)?;
    let head = match &commit {
        Some(commit) => tree_of(&git, commit)?,
        None => empty_tree(&index).to_owned(),
    };
    let nested = untracked.repositories.iter().map(|path| path.to_text().into_owned()).collect();
    let tracked_only = options.untracked == Untracked::Exclude;
    let trees = Trees { commit, head, index, worktree, nested, tracked_only };
    Ok(Taken {
        snapshot: compare(&private, trees, options.limits)?,
        filters_not_run,
        untracked_omitted: untracked.omitted,
    })
}

/// The snapshot of trees that were taken before, which `objects` may hold.
pub fn snapshot_of(
    git: impl Into<Git>,
    objects: Option<&Path>,
    trees: &Trees,
    limits: Limits,
) -> Result<Snapshot, WriteError> {
    compare(&reading(at_root(git.into())?, objects)?, trees.clone(), limits)
}

fn compare(git: &Git, trees: Trees, limits: Limits) -> Result<Snapshot, WriteError> {
    let staged_entries = tree_entries(git, &trees.head, &trees.index, limits)?;
    let unstaged_entries = tree_entries(git, &trees.index, &trees.worktree, limits)?;
    let nested = trees
        .nested
        .iter()
        .map(|text| FilePath::from_quoted(text.as_bytes()).unwrap_or_else(|| FilePath::from(text.as_str())));
    let untracked = UntrackedFiles { repositories: nested.collect(), ..UntrackedFiles::default() };
    Ok(Snapshot {
        staged: raw_differences(git, &trees.head, &trees.index)?,
        unstaged: raw_differences(git, &trees.index, &trees.worktree)?,
        changes: merge(BTreeMap::new(), staged_entries, unstaged_entries, &untracked),
        trees,
    })
}

/// The paths at which two trees differ. `objects` is a folder that may hold one of them.
pub fn changed_paths(
    git: impl Into<Git>,
    objects: Option<&Path>,
    old: &str,
    new: &str,
) -> Result<BTreeMap<FilePath, BlobSides>, WriteError> {
    if old == new {
        return Ok(BTreeMap::new());
    }
    Ok(raw_differences(&reading(git.into(), objects)?, old, new)?)
}

/// The contents of blobs, in the order in which they are asked for.
pub fn read_blobs(
    git: impl Into<Git>,
    objects: Option<&Path>,
    ids: &[&str],
) -> Result<Vec<Vec<u8>>, WriteError> {
    let git = reading(git.into(), objects)?;
    let input = ids.iter().flat_map(|id| [id.as_bytes(), b"\n"].concat()).collect();
    let mut output = Vec::new();
    let command = git.command("cat-file").option("--batch").input(input);
    let finished = command.run(&mut |piece| {
        output.extend_from_slice(piece);
        Flow::More
    })?;
    if finished.code != Some(0) {
        return Err(GitError::from_exit(git.dir(), "cat-file", finished.code, &finished.stderr).into());
    }
    let mut rest = output.as_slice();
    let mut contents = Vec::with_capacity(ids.len());
    for id in ids {
        let unreadable = || GitError::MissingObject { stderr: format!("object {id} is missing") };
        let end = rest.iter().position(|byte| *byte == b'\n').ok_or_else(unreadable)?;
        let header = String::from_utf8_lossy(&rest[..end]).into_owned();
        let length: usize =
            header.rsplit(' ').next().and_then(|size| size.parse().ok()).ok_or_else(unreadable)?;
        let content = rest.get(end + 1..end + 1 + length).ok_or_else(unreadable)?;
        contents.push(content.to_vec());
        rest = rest.get(end + length + 2..).unwrap_or_default();
    }
    Ok(contents)
}

/// The same, without those that are longer than `limit` or not there: they are not even read.
pub fn read_blobs_up_to(
    git: impl Into<Git>,
    objects: Option<&Path>,
    ids: &[&str],
    limit: usize,
) -> Result<Vec<Option<Vec<u8>>>, WriteError> {
    let git = reading(git.into(), objects)?;
    let input = ids.iter().flat_map(|id| [id.as_bytes(), b"\n"].concat()).collect();
    let check = git.command("cat-file").option("--batch-check=%(objectsize)").input(input).output()?;
    let sizes: Vec<Option<usize>> =
        String::from_utf8_lossy(&check).lines().map(|line| line.trim().parse().ok()).collect();
    let fits = |place: usize| sizes.get(place).copied().flatten().is_some_and(|size| size <= limit);
    let wanted: Vec<&str> =
        ids.iter().enumerate().filter(|(place, _)| fits(*place)).map(|(_, id)| *id).collect();
    if wanted.is_empty() {
        return Ok(vec![None; ids.len()]);
    }
    let mut read = read_blobs(git, None, &wanted)?.into_iter();
    Ok((0..ids.len()).map(|place| if fits(place) { read.next() } else { None }).collect())
}

/// The tree of the worktree alone.
pub(super) fn worktree_tree(git: &Git, filters: Filters) -> Result<String, WriteError> {
    let git = match filters {
        Filters::Users => without_own_filters(git.clone())?.0,
        Filters::All => git.clone().with_filters_checked(),
    };
    let dir = tempfile::tempdir().map_err(WriteError::io("making a folder for an index"))?;
    let copy = dir.path().join("index");
    copy_index(&git_path(&git, "index")?, &copy).map_err(WriteError::io("copying the index"))?;
    let private = with_index(&git, &copy);
    add_everything(&git, &private, &find_untracked(&git, usize::MAX)?)?;
    Ok(write_tree(&private)?)
}

/// The tree of an index.
pub(super) fn write_tree(git: &Git) -> Result<String, GitError> {
    // What a partial clone left on its server is still part of the tree.
    Ok(text(&git.command("write-tree").option("--missing-ok").output()?))
}

pub(super) fn tree_of(git: &Git, commit: &str) -> Result<String, GitError> {
    let command =
        git.command("rev-parse").options(["--verify", "--quiet"]).revision(format!("{commit}^{{tree}}"));
    Ok(text(&command.output()?))
}

/// The tree without files, in the hash function of `like`.
pub fn empty_tree(like: &str) -> &'static str {
    match like.len() {
        40 => "4b825dc642cb6eb9a060e54bf8d69288fbee4904",
        _ => "6ef19b41225c5369f1c104d45d8d85efa9b057b53b14b4b9b939dd74decc5321",
    }
}

pub(super) fn raw_differences(
    git: &Git,
    old: &str,
    new: &str,
) -> Result<BTreeMap<FilePath, BlobSides>, GitError> {
    let command = git.command("diff-tree").options(["-r", "-z", "--raw", "--no-renames", "--no-abbrev"]);
    let output = command.revision(old).revision(new).output()?;
    let mut differences = BTreeMap::new();
    let mut fields = output.split(|byte| *byte == 0);
    while let (Some(record), Some(path)) = (fields.next(), fields.next()) {
        let record = String::from_utf8_lossy(record);
        let words: Vec<&str> = record.trim_start_matches(':').split(' ').collect();
        let [old_mode, new_mode, old_id, new_id, _status] = words.as_slice() else {
            return Err(unexpected("diff-tree", record.as_bytes()));
        };
        let side = |mode: &str, id: &str| {
            let mode = u32::from_str_radix(mode, 8).ok().filter(|mode| *mode != 0)?;
            Some(Blob { mode: Mode(mode), id: id.to_owned() })
        };
        let sides = BlobSides { old: side(old_mode, old_id), new: side(new_mode, new_id) };
        differences.insert(FilePath::new(path), sides);
    }
    Ok(differences)
}

fn reading(git: Git, objects: Option<&Path>) -> Result<Git, GitError> {
    match objects {
        Some(folder) if folder.is_dir() => {
            let main = git_path(&git, "objects")?;
            Ok(with_objects(git, folder, &main))
        }
        _ => Ok(git),
    }
}

/// Enters every file as `git add --all` would, but for the folders that are repositories of their own. Of submodules it
/// enters the commit, which is asked of a git of our own in each.
fn add_everything(git: &Git, private: &Git, untracked: &UntrackedFiles) -> Result<(), GitError> {
    // A file that cannot be read is passed over; it is listed without content, and stays as it is.
    let options = ["--ignore-errors", "--sparse"];
    let hidden = hide(private)?;
    private.command("add").options(options).option("--update").output_unless(&[1])?;
    if !untracked.files.is_empty() {
        let paths = untracked.files.iter().flat_map(|path| [path.as_bytes(), b"\0"].concat()).collect();
        let add = private.command("add").options(options);
        let add = add.options(["--pathspec-from-file=-", "--pathspec-file-nul"]);
        add.input(paths).output_unless(&[1])?;
    }
    let edit = |(path, commit)| StoredEdit { path, entry: Some((Mode::SUBMODULE.0, commit)) };
    enter(private, &moved(git, hidden)?.into_iter().map(edit).collect::<Vec<_>>())
}

fn tree_entries(git: &Git, old: &str, new: &str, limits: Limits) -> Result<Vec<Entry>, GitError> {
    let mut entries = Vec::new();
    let command = as_patch(git.command("diff"), 3, Renames::Find).revision(old).revision(new);
    read_patch(command, limits, &mut |entry| entries.push(entry))?;
    Ok(entries)
}
