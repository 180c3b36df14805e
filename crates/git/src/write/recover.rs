//! Ending what a becket that died had begun: everything is as before the operation, or as after it. What may be somebody
//! else's by now is left as it is.

use std::fs::File;
use std::path::Path;
use std::time::Duration;

use super::commit::reflog_action;
use super::error::WriteError;
use super::journal::{Journal, NewIndex, Operation, Phase, Reference};
use super::place::{IndexLock, WritePlace, rename_durably};
use super::snapshot::tree_of;
use crate::error::GitError;
use crate::private_index::with_index;
use crate::process::Git;
use crate::read::{head, text};
use crate::status::operations;

/// What was found and done.
#[derive(Debug, Clone, PartialEq)]
pub enum Recovery {
    Nothing,
    Done(Recovered, Box<Operation>),
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Recovered {
    /// Everything had been made, and now it counts.
    Finished,
    /// It is as if it had never begun.
    RolledBack,
    /// Somebody changed branch or index meanwhile, or may have: nothing was moved.
    GivenUp,
}

/// Ends an interrupted operation in the worktree that holds `git`'s directory. Waits `wait` for one that still runs.
pub fn recover(git: impl Into<Git>, wait: Duration) -> Result<Recovery, WriteError> {
    let place = WritePlace::of(git)?;
    let lock = place.lock(wait)?;
    place.recover(&lock)
}

impl WritePlace {
    /// `_lock` shows that nobody else is at it, also no git that the dead one had started. During a merge and the like
    /// nothing is touched.
    pub(super) fn recover(&self, _lock: &File) -> Result<Recovery, WriteError> {
        if let Some(operation) = operations(&self.git, &self.location)?.first() {
            return Err(WriteError::UnderWay { operation: *operation });
        }
        let recovery = match self.journal()? {
            None => Recovery::Nothing,
            Some(journal) => {
                let (recovered, operation) = self.end(journal)?;
                tracing::warn!(?recovered, number = operation.number, "ended an interrupted operation");
                Recovery::Done(recovered, Box::new(operation))
            }
        };
        IndexLock::clear(&self.index);
        Ok(recovery)
    }

    /// Moves and replaces only what is surely as the dead one left it; else everything stays.
    fn end(&self, journal: Journal) -> Result<(Recovered, Operation), WriteError> {
        let Journal { mut operation, phase } = journal;
        let here = self.is_marked() && WritePlace::reference(&head(&self.git)?) == operation.reference;
        let recovered = match phase {
            _ if !here => Recovered::GivenUp,
            Phase::Begun { trees, made } => self.end_begun(&mut operation, &trees, made)?,
            Phase::Finishing { index, reference } => self.finish_untouched(&operation, index, reference)?,
        };
        self.close_journal()?;
        Ok((recovered, operation))
    }

    /// Takes back what was made, unless others have it: then it is finished, where all of it is there.
    fn end_begun(
        &self,
        operation: &mut Operation,
        trees: &[String],
        noted: Vec<String>,
    ) -> Result<Recovered, WriteError> {
        let Some(made) = self.own_commits(operation, trees, noted)? else { return Ok(Recovered::GivenUp) };
        if !self.is_elsewhere(&operation.reference, &made)? {
            self.roll_back(operation, &made)?;
            operation.commits = made;
            return Ok(Recovered::RolledBack);
        }
        let last = made.last().map(|last| tree_of(&self.git, last)).transpose()?;
        // A hook may have put something else into it than the index that was made ready has.
        if made.len() < trees.len() || last.as_ref() != trees.last() {
            return Ok(Recovered::GivenUp);
        }
        operation.head_after = made.last().cloned();
        operation.commits = made;
        let (index, reference) = (NewIndex::Replaced, Reference::Moved);
        let phase = Phase::Finishing { index, reference };
        self.write_journal(&Journal { operation: operation.clone(), phase })?;
        self.finish_untouched(operation, index, reference)
    }

    /// Whether another branch, a tag or what is known to be pushed has one of these commits, the oldest first.
    fn is_elsewhere(&self, reference: &str, made: &[String]) -> Result<bool, GitError> {
        let Some(oldest) = made.first() else { return Ok(false) };
        let command = self.git.command("for-each-ref").options(["--format=%(refname)", "--contains"]);
        let holders = text(&command.option(oldest).output()?);
        Ok(holders.lines().any(|name| name != reference))
    }

    /// The commits between the branch and where it was, oldest first, if this operation made each of them: it noted it, or
    /// the branch's log says so of the one that came last. Where Git keeps no log, nobody can tell of that one.
    pub(super) fn own_commits(
        &self,
        operation: &Operation,
        trees: &[String],
        noted: Vec<String>,
    ) -> Result<Option<Vec<String>>, GitError> {
        let tip = self.read_reference(&operation.reference)?;
        if tip == operation.head_before {
            return Ok(Some(Vec::new()));
        }
        let Some(tip) = tip else { return Ok(None) };
        let mut made = noted;
        if made.last() == Some(&tip) {
            return Ok(Some(made));
        }
        let parent = made.last().or(operation.head_before.as_ref());
        let line = self.git.command("rev-list").options(["--parents", "--max-count=1"]).revision(&tip);
        let line = text(&line.output()?);
        let follows = line.split(' ').skip(1).eq(parent.map(String::as_str));
        let is_own = follows
            && trees.get(made.len()) == Some(&tree_of(&self.git, &tip)?)
            && self.is_logged(operation, &tip)?;
        made.push(tip);
        Ok(is_own.then_some(made))
    }

    /// Whether the last thing that happened to the branch is that a git of this operation moved it to `tip`.
    fn is_logged(&self, operation: &Operation, tip: &str) -> Result<bool, GitError> {
        let command = self.git.command("log").options(["--walk-reflogs", "--max-count=1", "--format=%H %gs"]);
        let (_, entry) = command.revision(&operation.reference).output_unless(&[128])?;
        Ok(text(&entry).starts_with(&format!("{tip} {}: ", reflog_action(operation.number))))
    }

    /// Takes back these commits, which are all that happened.
    pub(super) fn roll_back(&self, operation: &Operation, made: &[String]) -> Result<(), GitError> {
        let Some(tip) = made.last() else { return Ok(()) };
        let reason = format!("becket: roll back operation {}", operation.number);
        self.move_reference(&operation.reference, Some(tip), operation.head_before.as_deref(), &reason)
    }

    /// The last steps, if branch and index are still what they were when the operation was left.
    fn finish_untouched(
        &self,
        operation: &Operation,
        index: NewIndex,
        reference: Reference,
    ) -> Result<Recovered, WriteError> {
        let current = self.read_reference(&operation.reference)?;
        let is_at_place = current == operation.head_after
            || (reference == Reference::ToMove && current == operation.head_before);
        let is_index_done = match index {
            NewIndex::Replaced => !self.file("index-after").exists(),
            NewIndex::Removed => !self.index.exists(),
        };
        if !is_at_place || !(is_index_done || self.is_index_saved(operation.number)?) {
            return Ok(Recovered::GivenUp);
        }
        self.finish(operation, index, reference)?;
        Ok(Recovered::Finished)
    }

    /// Whether the index is the one that was kept for this operation: the same bytes, or the same entries.
    fn is_index_saved(&self, number: u64) -> Result<bool, WriteError> {
        let saved = self.index_before(number);
        let read = |path: &Path| match fs_err::read(path) {
            Ok(bytes) => Ok(Some(bytes)),
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(None),
            Err(error) => Err(WriteError::io("comparing the index")(error)),
        };
        if read(&saved)? == read(&self.index)? {
            return Ok(true);
        }
        let entries = |index: &Path| {
            let git = with_index(&self.git, index);
            git.command("ls-files").options(["-v", "--stage", "-z"]).output_unless(&[128])
        };
        let (saved, current) = (entries(&saved)?, entries(&self.index)?);
        Ok(saved.0 == 0 && saved == current)
    }

    /// The last steps of an operation, each of which may have been done already.
    pub(super) fn finish(
        &self,
        operation: &Operation,
        index: NewIndex,
        reference: Reference,
    ) -> Result<(), WriteError> {
        if reference == Reference::ToMove
            && self.read_reference(&operation.reference)? != operation.head_after
        {
            let reason = format!("becket: undo (operation {})", operation.number);
            let (old, new) = (operation.head_before.as_deref(), operation.head_after.as_deref());
            self.move_reference(&operation.reference, old, new, &reason)?;
        }
        let failed = WriteError::io("putting the index in place");
        match index {
            NewIndex::Replaced => {
                let after = self.file("index-after");
                if after.exists() {
                    rename_durably(&after, &self.index).map_err(failed)?;
                }
            }
            NewIndex::Removed => match fs_err::remove_file(&self.index) {
                Err(error) if error.kind() != std::io::ErrorKind::NotFound => return Err(failed(error)),
                _ => {}
            },
        }
        self.remember(operation)
    }

    pub(super) fn read_reference(&self, reference: &str) -> Result<Option<String>, GitError> {
        let command = self.git.command("rev-parse").options(["--verify", "--quiet"]).revision(reference);
        let (code, output) = command.output_unless(&[1])?;
        Ok((code == 0).then(|| text(&output)))
    }

    /// Moves a reference only if it is where it is thought to be.
    pub(super) fn move_reference(
        &self,
        reference: &str,
        old: Option<&str>,
        new: Option<&str>,
        reason: &str,
    ) -> Result<(), GitError> {
        let zeros = "0".repeat(old.or(new).map_or(40, str::len));
        let command = self.git.command("update-ref").options(["--no-deref", "-m", reason]);
        let command = match new {
            Some(new) => command.revision(reference).revision(new).revision(old.unwrap_or(&zeros)),
            None => command.option("-d").revision(reference).revision(old.unwrap_or(&zeros)),
        };
        command.output().map(drop)
    }
}
