//! A change of one worktree, from the locks to the last step.

use std::fs::File;
use std::path::{Path, PathBuf};
use std::time::Duration;

use super::commit::{Wanted, unstaged_edits};
use super::edit::{StoredEdit, TreeEdit, enter, flags, restore_flags, store};
use super::error::WriteError;
use super::journal::{Journal, NewIndex, Operation, OperationKind, Phase, Reference};
use super::place::{IndexLock, WritePlace, sync};
use super::recover::Recovery;
use super::snapshot::{Filters, Snapshot, write_tree};
use crate::path::to_native;
use crate::private_index::{copy_index, with_index};
use crate::process::Git;
use crate::read::{Head, head, strip_newline};
use crate::worktree::worktrees_with;

#[derive(Debug, Clone, Copy)]
pub struct SessionOptions {
    pub detached: DetachedHead,
    /// How long to wait for another becket.
    pub wait: Duration,
}

impl Default for SessionOptions {
    fn default() -> Self {
        Self { detached: DetachedHead::Refuse, wait: Duration::from_secs(10) }
    }
}

/// Whether commits may be made that no branch holds.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum DetachedHead {
    #[default]
    Refuse,
    Allow,
}

/// Holds the locks: until it is dropped no becket changes the worktree and no git the index.
#[derive(Debug)]
pub struct Session {
    pub(super) place: WritePlace,
    pub(super) head: Head,
    lock: File,
    _index_lock: IndexLock,
    recovery: Recovery,
}

#[derive(Debug)]
pub struct ApplyRequest<'a> {
    /// Taken by this `Session`, with objects in the repository.
    pub snapshot: &'a Snapshot,
    pub filters: Filters,
    pub commits: Vec<NewCommit>,
    /// What the user's index becomes after all of them.
    pub index: Vec<TreeEdit>,
    /// To be remembered with the operation.
    pub payload: serde_json::Value,
}

#[derive(Debug)]
pub struct NewCommit {
    pub message: String,
    /// From the tree of the commit before it.
    pub edits: Vec<TreeEdit>,
}

#[derive(Debug, Clone)]
pub struct Applied {
    pub operation: Operation,
}

impl Session {
    /// Takes the locks, ends what an earlier becket left, and refuses a worktree in which nobody should commit, at first
    /// one in which a merge or the like is under way.
    pub fn begin(git: impl Into<Git>, options: SessionOptions) -> Result<Self, WriteError> {
        let place = WritePlace::of(git)?;
        let lock = place.lock(options.wait)?;
        let recovery = place.recover(&lock)?;
        let index_lock = IndexLock::take(&place.index, place.folder())?;
        let head = head(&place.git)?;
        match &head {
            Head::Detached { commit } if options.detached == DetachedHead::Refuse => {
                return Err(WriteError::Detached { commit: commit.clone() });
            }
            _ => {}
        }
        let session = Self { place, head, lock, _index_lock: index_lock, recovery };
        session.refuse_shared_branch()?;
        Ok(session)
    }

    pub fn head(&self) -> &Head {
        &self.head
    }

    pub fn place(&self) -> &WritePlace {
        &self.place
    }

    /// What had to be ended first.
    pub fn recovery(&self) -> &Recovery {
        &self.recovery
    }

    /// Makes the commits, one upon the other, and then the index; or nothing of it.
    pub fn apply(&self, request: &ApplyRequest<'_>) -> Result<Applied, WriteError> {
        let (place, snapshot) = (&self.place, request.snapshot);
        let scratch = tempfile::tempdir().map_err(WriteError::io("making a folder for contents"))?;
        let all: Vec<&TreeEdit> =
            request.commits.iter().flat_map(|commit| &commit.edits).chain(&request.index).collect();
        let mut stored = store(&place.git, scratch.path(), &all)?.into_iter();
        let steps: Vec<Vec<StoredEdit>> =
            request.commits.iter().map(|commit| stored.by_ref().take(commit.edits.len()).collect()).collect();
        let index: Vec<StoredEdit> = stored.collect();

        let trees = self.trees(snapshot, &steps, scratch.path())?;
        let mut operation = Operation {
            number: place.next_number()?,
            kind: OperationKind::Apply,
            reference: WritePlace::reference(&self.head),
            head_before: self.head.commit().map(str::to_owned),
            head_after: None,
            index_tree_before: snapshot.trees.index.clone(),
            index_tree_after: String::new(),
            commits: Vec::new(),
            payload: request.payload.clone(),
        };
        self.save_index(operation.number)?;
        operation.index_tree_after = self.prepare_index(&index)?;
        let mut made = Vec::new();
        if let Err(error) = self.make_commits(request, &steps, &trees, &operation, &mut made) {
            let expected = made.last().or(operation.head_before.as_ref()).cloned().unwrap_or_default();
            let own = place.own_commits(&operation, &trees, made)?;
            if let Some(own) = &own {
                place.roll_back(&operation, own)?;
            }
            place.close_journal()?;
            let found = place.read_reference(&operation.reference)?.unwrap_or_default();
            // A hook that commits is somebody else, too.
            return Err(if own.is_some() { error } else { WriteError::HeadMoved { expected, found } });
        }
        operation.head_after = made.last().cloned();
        operation.commits = made;
        let (index, reference) = (NewIndex::Replaced, Reference::Moved);
        place.write_journal(&Journal {
            operation: operation.clone(),
            phase: Phase::Finishing { index, reference },
        })?;
        place.finish(&operation, index, reference)?;
        place.close_journal()?;
        Ok(Applied { operation })
    }

    /// Notes each commit in the journal as it is made, and gives in `made` what was, also when it fails.
    fn make_commits(
        &self,
        request: &ApplyRequest<'_>,
        steps: &[Vec<StoredEdit>],
        trees: &[String],
        operation: &Operation,
        made: &mut Vec<String>,
    ) -> Result<(), WriteError> {
        let place = &self.place;
        let note = |made: &[String]| {
            let phase = Phase::Begun { trees: trees.to_vec(), made: made.to_vec() };
            place.write_journal(&Journal { operation: operation.clone(), phase })
        };
        note(made)?;
        let next = self.start_index("next-index", &place.git, request.snapshot)?;
        for (number, ((commit, edits), tree)) in request.commits.iter().zip(steps).zip(trees).enumerate() {
            enter(&next, edits)?;
            let parent = made.last().cloned();
            let wanted = Wanted {
                operation: operation.number,
                number: number + 1,
                message: &commit.message,
                parent: parent.as_deref().or(self.head.commit()),
                tree,
                worktree_tree: &request.snapshot.trees.worktree,
                filters: request.filters,
            };
            let id = place.commit(&self.lock, &wanted)?;
            made.push(id.clone());
            note(made)?;
            place.check(&id, &wanted)?;
        }
        Ok(())
    }

    /// The tree of each commit, found in an index that is thrown away.
    fn trees(
        &self,
        snapshot: &Snapshot,
        steps: &[Vec<StoredEdit>],
        scratch: &Path,
    ) -> Result<Vec<String>, WriteError> {
        let index = scratch.join("index");
        copy_index(&self.place.index, &index).map_err(WriteError::io("copying the index"))?;
        let git = with_index(&self.place.git, &index);
        enter(&git, &unstaged_edits(&snapshot.staged))?;
        let mut trees: Vec<String> = Vec::new();
        for (number, edits) in steps.iter().enumerate() {
            enter(&git, edits)?;
            let tree = write_tree(&git)?;
            if trees.last().unwrap_or(&snapshot.trees.head) == &tree {
                return Err(WriteError::NothingToCommit { number: number + 1 });
            }
            trees.push(tree);
        }
        Ok(trees)
    }

    /// A copy of the user's index that holds the last commit: what Git knows of the files on the disk stays.
    fn start_index(&self, name: &str, git: &Git, snapshot: &Snapshot) -> Result<Git, WriteError> {
        let path = self.place.file(name);
        fs_err::remove_file(&path).ok();
        copy_index(&self.place.index, &path).map_err(WriteError::io("copying the index"))?;
        let git = with_index(git, &path);
        enter(&git, &unstaged_edits(&snapshot.staged))?;
        Ok(git)
    }

    /// Keeps the user's index as it is, for an undo.
    pub(super) fn save_index(&self, number: u64) -> Result<(), WriteError> {
        let failed = WriteError::io("keeping the index");
        let saved = self.place.index_before(number);
        saved.parent().map_or(Ok(()), fs_err::create_dir_all).map_err(&failed)?;
        fs_err::remove_file(&saved).ok();
        if copy_index(&self.place.index, &saved).map_err(&failed)? {
            sync(&saved).map_err(&failed)?;
            // One of two halves could lose the other meanwhile: Git throws old ones away.
            if let Some(shared) = self.shared_half()? {
                let name = shared.file_name().unwrap_or_default();
                let kept = self.place.shared_before(number, name);
                copy_index(&shared, &kept).map_err(&failed)?;
                sync(&kept).map_err(&failed)?;
            }
        }
        Ok(())
    }

    /// Makes `index-after`, and gives its tree.
    fn prepare_index(&self, edits: &[StoredEdit]) -> Result<String, WriteError> {
        let failed = WriteError::io("preparing the index");
        let path = self.place.file("index-after");
        fs_err::remove_file(&path).ok();
        copy_index(&self.place.index, &path).map_err(&failed)?;
        let git = with_index(&self.place.git, &path);
        let paths: Vec<&[u8]> = edits.iter().map(|edit| edit.path.as_slice()).collect();
        let flags = flags(&git, &paths)?;
        enter(&git, edits)?;
        restore_flags(&git, flags)?;
        if !edits.is_empty() {
            // So that plumbing which compares only dates sees no change in what was just entered.
            let refresh = git.clone().with_filters_checked();
            refresh
                .command("update-index")
                .options(["-q", "--ignore-missing", "--refresh"])
                .output_unless(&[1])?;
        }
        let tree = write_tree(&git)?;
        sync(&path).map_err(failed)?;
        Ok(tree)
    }

    /// The file that the greater part of a split index is in.
    fn shared_half(&self) -> Result<Option<PathBuf>, WriteError> {
        let output = self.place.git.command("rev-parse").option("--shared-index-path").output()?;
        let path = strip_newline(&output);
        Ok((!path.is_empty()).then(|| self.place.git.dir().join(to_native(path))))
    }

    fn refuse_shared_branch(&self) -> Result<(), WriteError> {
        let Some(branch) = self.head.branch() else { return Ok(()) };
        let here = self.place.location.worktree.as_deref();
        let all = worktrees_with(&self.place.git, &self.place.location)?;
        let elsewhere = all.into_iter().find(|worktree| {
            worktree.branch.as_deref() == Some(branch) && Some(worktree.path.as_path()) != here
        });
        match elsewhere {
            Some(worktree) if !worktree.bare => {
                Err(WriteError::CheckedOutElsewhere { branch: branch.to_owned(), worktree: worktree.path })
            }
            _ => Ok(()),
        }
    }
}
