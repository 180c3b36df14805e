//! An operation that a becket which died has left: what is said of it to whoever looks, and its end before anybody writes.
//! Who looks ends nothing, so that a server which only reads changes nothing.

use std::{path::Path, time::Duration};

use becket_git::{
    Git,
    write::{Operation, OperationKind, Recovered, Recovery, Unfinished, WriteError, WritePlace, recover},
};

use super::refusal::refused;
use crate::{Error, repository::Repository, settings::Problem};

/// Long enough for a git that a dead becket had started; who is still at it is waited for elsewhere.
const PATIENCE: Duration = Duration::from_millis(300);

/// What is unfinished in the worktree at `root`.
#[derive(Debug)]
pub(super) enum Found {
    /// Somebody is at it.
    UnderWay(String),
    /// Nobody is.
    Left { sentence: String, hint: String },
}

impl Found {
    pub(super) fn sentence(&self) -> &str {
        match self {
            Self::UnderWay(sentence) | Self::Left { sentence, .. } => sentence,
        }
    }
}

/// Changes nothing.
pub(super) fn find(repository: &Repository, root: &Path) -> Option<Found> {
    if !WritePlace::has_unfinished(&repository.location.common_dir) {
        return None;
    }
    let found = WritePlace::of(root).and_then(|place| place.unfinished());
    let ends = "apply_commit, apply_all and undo (`becket commit apply`, `becket commit undo`) do that before anything else; a call that only reads does not.";
    let left = |sentence| Found::Left {
        sentence,
        hint:
            "Run `becket commit undo` there: it ends what was interrupted, and takes back no other operation."
                .to_owned(),
    };
    Some(
        match found.unwrap_or_else(|error| {
            tracing::warn!(%error, "what is unfinished is not known");
            None
        })? {
            Unfinished::UnderWay(operation) => Found::UnderWay(format!(
                "Operation {} on {} is under way: what is told here may be the half of it.",
                operation.number, operation.reference
            )),
            Unfinished::Begun(operation) => left(format!(
                "Operation {} on {} was interrupted, and commits that it made are not taken back yet: build upon none of them. {ends}",
                operation.number, operation.reference
            )),
            Unfinished::Finishing(operation) => left(format!(
                "Operation {} on {} was interrupted, and its last steps are still to be done. {ends}",
                operation.number, operation.reference
            )),
            Unfinished::Lock(path) => Found::Left {
                sentence: format!(
                    "A becket that was interrupted has left {}, which keeps git from committing. It may be removed: {ends}",
                    path.display()
                ),
                hint: format!("Remove {}.", path.display()),
            },
        },
    )
}

/// The same for every worktree of a clone, as problems.
pub(crate) fn problems(repository: &Repository) -> Vec<Problem> {
    let worktrees = repository.worktrees.iter().filter(|worktree| !worktree.bare);
    let left = worktrees.filter_map(|worktree| match find(repository, &worktree.path)? {
        Found::Left { sentence, hint } => Some((worktree, sentence, hint)),
        Found::UnderWay(_) => None,
    });
    left.map(|(worktree, sentence, hint)| {
        let message = format!("{}: {sentence}", worktree.path.display());
        Problem::from(&Error::conflict("operation_interrupted", message).with_hint(hint))
    })
    .collect()
}

/// How an operation ended that a becket which died had begun.
#[derive(Debug, Clone)]
pub(super) struct Ended {
    pub(super) sentence: String,
    pub(super) recovered: Recovered,
    pub(super) operation: Operation,
}

impl Ended {
    pub(super) fn of(recovery: &Recovery) -> Option<Self> {
        let Recovery::Done(recovered, operation) = recovery else { return None };
        let Operation { number, reference, .. } = &**operation;
        let sentence = match (recovered, operation.kind) {
            (Recovered::RolledBack, _) => {
                let head = operation.head_before.as_deref().unwrap_or("no commit");
                format!(
                    "Operation {number} had been interrupted and was taken back: {reference} is at {head} again."
                )
            }
            (Recovered::Finished, OperationKind::Apply) => format!(
                "Operation {number} had been interrupted and was finished: its commits are on {reference}, and undo takes them back."
            ),
            (Recovered::Finished, OperationKind::Undo { of }) => {
                format!("The undo of operation {of} had been interrupted and was finished.")
            }
            (Recovered::GivenUp, _) => format!(
                "Operation {number} on {reference} had been interrupted, and branch or index may hold work of others since: both were left as they are, and becket will not undo it. `git status` and `git log` show what there is; `git reset` makes the index that of the last commit, and touches no file."
            ),
        };
        Some(Self { sentence, recovered: *recovered, operation: (**operation).clone() })
    }
}

/// Ends what was left in the worktree of `git`. One that still runs is left to it.
pub(super) fn end(git: &Git) -> Result<Option<Ended>, Error> {
    match recover(git.dir(), PATIENCE) {
        Ok(recovery) => Ok(Ended::of(&recovery)),
        Err(WriteError::Busy) => Ok(None),
        Err(error) => Err(refused(error)),
    }
}
