//! `undo`: the last operation is taken back, or nothing is.

use std::fmt;

use becket_git::write::{DetachedHead, OperationKind, Recovered, Session, SessionOptions, undo};
use schemars::JsonSchema;
use serde::Serialize;

use super::{
    desk::Desk,
    group::counted,
    interrupted::Ended,
    ledger::payload_of,
    place::{Scope, on},
    refusal::refused,
};
use crate::{Engine, Error};

#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct UndoneOperation {
    /// Of the operation that was taken back.
    pub operation: u64,
    /// The commits that are no longer on the branch; Git keeps them for a while.
    pub commits: Vec<String>,
    /// The branch is here again; absent when it has no commit again.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub head: Option<String>,
    /// What had been interrupted before, and how it was ended.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub notices: Vec<String>,
    pub scope: Scope,
}

#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct ListedOperations {
    /// Newest first.
    pub operations: Vec<OperationRow>,
    /// One that was interrupted, and what ends it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub notices: Vec<String>,
    pub scope: Scope,
}

#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct OperationRow {
    pub operation: u64,
    /// `apply` or `undo`.
    pub kind: String,
    /// What an undo took back.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub of: Option<u64>,
    pub undone: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub plan_id: Option<String>,
    pub reference: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub head_before: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub head_after: Option<String>,
    pub commits: Vec<String>,
}

impl Engine {
    /// Takes back the last operation; `number` only makes sure that it is the one that is meant.
    pub fn undo(&self, number: Option<u64>, worktree: Option<&str>) -> Result<UndoneOperation, Error> {
        let desk = self.desk_to_write(worktree)?;
        if let Some(ended) = &desk.ended {
            if let Some(answer) = taken_back(&desk, ended, number)? {
                return Ok(answer);
            }
        }
        desk.told(undo_last(&desk, number))
    }

    /// What becket did to the branch of a worktree.
    pub fn operations(&self, worktree: Option<&str>) -> Result<ListedOperations, Error> {
        let desk = self.desk(worktree)?;
        let operations = desk.write.operations().map_err(refused)?;
        let undone = |number: u64| {
            operations.iter().any(|operation| operation.kind == OperationKind::Undo { of: number })
        };
        let row = |operation: &becket_git::write::Operation| OperationRow {
            operation: operation.number,
            kind: if operation.kind == OperationKind::Apply { "apply" } else { "undo" }.to_owned(),
            of: match operation.kind {
                OperationKind::Undo { of } => Some(of),
                OperationKind::Apply => None,
            },
            undone: undone(operation.number),
            plan_id: payload_of(operation).map(|payload| payload.plan),
            reference: operation.reference.clone(),
            head_before: operation.head_before.clone(),
            head_after: operation.head_after.clone(),
            commits: operation.commits.clone(),
        };
        let operations = operations.iter().rev().map(row).collect();
        Ok(ListedOperations { operations, notices: desk.notices, scope: desk.scope })
    }
}

/// To end what was interrupted is the undo, unless it left the last operation in its place.
fn taken_back(desk: &Desk, ended: &Ended, number: Option<u64>) -> Result<Option<UndoneOperation>, Error> {
    let taken = match (ended.recovered, ended.operation.kind) {
        (Recovered::RolledBack, _) => ended.operation.number,
        (Recovered::Finished, OperationKind::Undo { of }) => of,
        (Recovered::Finished, OperationKind::Apply) if number.is_some() => return Ok(None),
        (Recovered::Finished, OperationKind::Apply) => {
            return Err(Error::conflict("operation_finished", ended.sentence.clone())
                .with_hint("Nothing was taken back; call undo again to take it back."));
        }
        (Recovered::GivenUp, _) => {
            return Err(Error::conflict("operation_given_up", ended.sentence.clone())
                .with_hint("Nothing else was taken back; call undo again for the operation before."));
        }
    };
    if number.is_some_and(|number| number != taken) {
        return Ok(None);
    }
    let mut scope = desk.scope.clone();
    let head = match ended.recovered {
        Recovered::RolledBack => ended.operation.head_before.clone(),
        _ => ended.operation.head_after.clone(),
    };
    scope.head.clone_from(&head);
    let commits = ended.operation.commits.clone();
    Ok(Some(UndoneOperation { operation: taken, commits, head, notices: desk.notices.clone(), scope }))
}

fn undo_last(desk: &Desk, number: Option<u64>) -> Result<UndoneOperation, Error> {
    let options = SessionOptions { detached: DetachedHead::Allow, ..SessionOptions::default() };
    let session = Session::begin(&desk.git, options).map_err(refused)?;
    if let Some(ended) = Ended::of(session.recovery()) {
        // Who was waited for died.
        if let Some(answer) = taken_back(desk, &ended, number)? {
            return Ok(UndoneOperation { notices: vec![ended.sentence], ..answer });
        }
    }
    let last = session.place().last_applied().map_err(refused)?;
    let done = undo(&session, number, serde_json::Value::Null).map_err(refused)?;
    drop(session);
    let last = last.ok_or_else(|| Error::internal("What was undone is not known."))?;
    let mut scope = desk.scope.clone();
    scope.head.clone_from(&done.head_after);
    Ok(UndoneOperation {
        operation: last.number,
        commits: last.commits,
        head: done.head_after,
        notices: desk.notices.clone(),
        scope,
    })
}

impl fmt::Display for UndoneOperation {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let commits = counted(self.commits.len(), "commit");
        writeln!(formatter, "took back operation {} ({commits}) in {}", self.operation, on(&self.scope))?;
        for notice in &self.notices {
            writeln!(formatter, "note: {notice}")?;
        }
        Ok(())
    }
}

impl fmt::Display for ListedOperations {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        for row in &self.operations {
            let what = match (row.of, &row.plan_id) {
                (Some(of), _) => format!("undo of {of}"),
                (None, Some(plan)) => format!("applied {} of {plan}", counted(row.commits.len(), "commit")),
                (None, None) => format!("applied {}", counted(row.commits.len(), "commit")),
            };
            let undone = if row.undone { "  (undone)" } else { "" };
            writeln!(formatter, "{:<5} {what} on {}{undone}", row.operation, row.reference)?;
        }
        for notice in &self.notices {
            writeln!(formatter, "note: {notice}")?;
        }
        Ok(())
    }
}
