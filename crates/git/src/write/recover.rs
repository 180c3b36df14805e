//! Ending what a becket that died had begun: everything is as before the operation, or as after it.

use std::fs::File;
use std::time::Duration;

use super::error::WriteError;
use super::journal::{Journal, NewIndex, Operation, Phase, Reference};
use super::place::{IndexLock, WritePlace, rename_durably};
use super::snapshot::tree_of;
use crate::error::GitError;
use crate::process::Git;
use crate::read::text;

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
    /// Somebody moved the branch meanwhile or has its commits elsewhere, and it was left to them.
    GivenUp,
}

/// Ends an interrupted operation in the worktree that holds `git`'s directory. Waits `wait` for one that still runs.
pub fn recover(git: impl Into<Git>, wait: Duration) -> Result<Recovery, WriteError> {
    let place = WritePlace::of(git)?;
    let lock = place.lock(wait)?;
    place.recover(&lock)
}

impl WritePlace {
    /// `_lock` shows that nobody else is at it, also no git that the dead one had started.
    pub(super) fn recover(&self, _lock: &File) -> Result<Recovery, WriteError> {
        let journal = self.journal()?;
        let recovery = match journal {
            None => Recovery::Nothing,
            Some(Journal { operation, phase: Phase::Begun { trees } }) => {
                let (recovered, operation) = self.end_begun(operation, &trees)?;
                Recovery::Done(recovered, Box::new(operation))
            }
            Some(Journal { operation, phase: Phase::Finishing { index, reference } }) => {
                let recovered = self.finish(&operation, index, reference)?;
                Recovery::Done(recovered, Box::new(operation))
            }
        };
        IndexLock::clear(&self.index);
        if let Recovery::Done(recovered, operation) = &recovery {
            tracing::warn!(?recovered, number = operation.number, "ended an interrupted operation");
        }
        Ok(recovery)
    }

    /// Takes back what was made, unless somebody has it or has built upon it since: then nothing is moved.
    fn end_begun(
        &self,
        mut operation: Operation,
        trees: &[String],
    ) -> Result<(Recovered, Operation), WriteError> {
        let tip = self.read_reference(&operation.reference)?;
        let recovered = match tip {
            tip if tip == operation.head_before => Recovered::RolledBack,
            Some(tip) => match self.made(&tip, operation.head_before.as_deref(), trees)? {
                Some(_) if self.was_reworded(&operation.reference)? => Recovered::GivenUp,
                Some(made) if self.is_elsewhere(&operation.reference, &made)? => {
                    if made.len() < trees.len() {
                        Recovered::GivenUp
                    } else {
                        // All of it is there, and others count on it.
                        operation.head_after = Some(tip);
                        operation.commits = made;
                        let (index, reference) = (NewIndex::Replaced, Reference::Moved);
                        let phase = Phase::Finishing { index, reference };
                        self.write_journal(&Journal { operation: operation.clone(), phase })?;
                        return Ok((self.finish(&operation, index, reference)?, operation));
                    }
                }
                Some(_) => self.roll_back(&operation, trees)?,
                None => Recovered::GivenUp,
            },
            None => Recovered::GivenUp,
        };
        self.close_journal()?;
        Ok((recovered, operation))
    }

    /// Whether another branch, a tag or what is known to be pushed has one of these commits, the oldest first.
    fn is_elsewhere(&self, reference: &str, made: &[String]) -> Result<bool, GitError> {
        let Some(oldest) = made.first() else { return Ok(false) };
        let command = self.git.command("for-each-ref").options(["--format=%(refname)", "--contains"]);
        let holders = text(&command.option(oldest).output()?);
        Ok(holders.lines().any(|name| name != reference))
    }

    /// The same tree under another message is not what a dead one left. Where Git keeps no log nobody can tell.
    fn was_reworded(&self, reference: &str) -> Result<bool, GitError> {
        let command = self.git.command("log").options(["--walk-reflogs", "--max-count=1", "--format=%gs"]);
        let (_, subject) = command.revision(reference).output_unless(&[128])?;
        let subject = text(&subject);
        Ok(!subject.is_empty() && (!subject.starts_with("commit") || subject.starts_with("commit (amend)")))
    }

    /// Takes back the commits of an operation, if they are all that happened.
    pub(super) fn roll_back(&self, operation: &Operation, trees: &[String]) -> Result<Recovered, WriteError> {
        let current = self.read_reference(&operation.reference)?;
        if current == operation.head_before {
            return Ok(Recovered::RolledBack);
        }
        let Some(current) = current else { return Ok(Recovered::GivenUp) };
        if self.made(&current, operation.head_before.as_deref(), trees)?.is_none() {
            return Ok(Recovered::GivenUp);
        }
        let reason = format!("becket: roll back operation {}", operation.number);
        self.move_reference(&operation.reference, Some(&current), operation.head_before.as_deref(), &reason)?;
        Ok(Recovered::RolledBack)
    }

    /// The last steps of an operation, each of which may have been done already.
    pub(super) fn finish(
        &self,
        operation: &Operation,
        index: NewIndex,
        reference: Reference,
    ) -> Result<Recovered, WriteError> {
        if reference == Reference::ToMove {
            let current = self.read_reference(&operation.reference)?;
            if current != operation.head_after {
                if current != operation.head_before {
                    self.close_journal()?;
                    return Ok(Recovered::GivenUp);
                }
                let reason = format!("becket: undo (operation {})", operation.number);
                let (old, new) = (operation.head_before.as_deref(), operation.head_after.as_deref());
                self.move_reference(&operation.reference, old, new, &reason)?;
            }
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
        self.remember(operation)?;
        self.close_journal()?;
        Ok(Recovered::Finished)
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

    /// The commits by which `commit` leads back to `base`, oldest first, if they have these trees and no others.
    fn made(
        &self,
        commit: &str,
        base: Option<&str>,
        trees: &[String],
    ) -> Result<Option<Vec<String>>, GitError> {
        let command = self.git.command("rev-list").options(["--parents", "--max-count"]);
        let command = command.option((trees.len() + 1).to_string()).revision(commit);
        let listed = text(&command.output()?);
        let (mut made, mut ours) = (Vec::new(), Vec::new());
        for line in listed.lines() {
            let mut ids = line.split(' ');
            let (Some(id), parent) = (ids.next(), ids.next()) else { break };
            if Some(id) == base {
                break;
            }
            ours.push(tree_of(&self.git, id)?);
            made.push(id.to_owned());
            if ids.next().is_some() || ours.len() > trees.len() {
                return Ok(None);
            }
            if parent == base {
                ours.reverse();
                made.reverse();
                return Ok(trees.starts_with(&ours).then_some(made));
            }
        }
        Ok(None)
    }
}
