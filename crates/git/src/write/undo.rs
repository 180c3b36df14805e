//! Taking an operation back: branch and index are exactly what they were. The files are not touched, since no operation
//! touches them.

use super::error::WriteError;
use super::journal::{Journal, NewIndex, Operation, OperationKind, Phase, Reference};
use super::place::{WritePlace, sync};
use super::session::Session;
use super::snapshot::{changed_paths, write_tree};
use crate::private_index::{copy_index, with_index};

/// Takes back the last operation, or `number`, which must be it. Refused when the branch or the index moved since.
pub fn undo(
    session: &Session,
    number: Option<u64>,
    payload: serde_json::Value,
) -> Result<Operation, WriteError> {
    let place = &session.place;
    let last = place.last_applied()?.ok_or(WriteError::NothingToUndo)?;
    match number {
        Some(number) if number == last.number => {}
        Some(number) if place.operations()?.iter().any(|known| known.number == number) => {
            return Err(WriteError::NotTheLast { number, last: last.number });
        }
        Some(number) => return Err(WriteError::UnknownOperation { number }),
        None => {}
    }
    let here = WritePlace::reference(&session.head);
    let current = session.head.commit().map(str::to_owned);
    if here != last.reference || current != last.head_after {
        let named = |reference: &str, commit: &Option<String>| {
            format!("{reference} at {}", commit.as_deref().unwrap_or("no commit"))
        };
        return Err(WriteError::BranchMoved {
            expected: named(&last.reference, &last.head_after),
            found: named(&here, &current),
            reference: last.reference,
        });
    }
    let index_tree = current_tree(place)?;
    let changed = changed_paths(&place.git, None, &last.index_tree_after, &index_tree)?;
    if !changed.is_empty() {
        return Err(WriteError::IndexMoved { paths: changed.into_keys().collect() });
    }
    let operation = Operation {
        number: place.next_number()?,
        kind: OperationKind::Undo { of: last.number },
        reference: last.reference,
        head_before: last.head_after,
        head_after: last.head_before,
        index_tree_before: index_tree,
        index_tree_after: last.index_tree_before,
        commits: Vec::new(),
        payload,
    };
    session.save_index(operation.number)?;
    let after = place.file("index-after");
    let failed = WriteError::io("putting the index back");
    let index = if copy_index(&place.index_before(last.number), &after).map_err(&failed)? {
        sync(&after).map_err(&failed)?;
        for (kept, name) in place.shared_halves(last.number)? {
            let half = place.index.with_file_name(name);
            if !half.exists() {
                copy_index(&kept, &half).map_err(&failed)?;
                sync(&half).map_err(&failed)?;
            }
        }
        NewIndex::Replaced
    } else {
        NewIndex::Removed
    };
    let reference = Reference::ToMove;
    place.write_journal(&Journal {
        operation: operation.clone(),
        phase: Phase::Finishing { index, reference },
    })?;
    place.finish(&operation, index, reference)?;
    place.close_journal()?;
    Ok(operation)
}

fn current_tree(place: &WritePlace) -> Result<String, WriteError> {
    let dir = tempfile::tempdir().map_err(WriteError::io("making a folder for an index"))?;
    let copy = dir.path().join("index");
    copy_index(&place.index, &copy).map_err(WriteError::io("copying the index"))?;
    Ok(write_tree(&with_index(&place.git, &copy))?)
}
