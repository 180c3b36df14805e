//! One page of a list: bounded in rows and in bytes, with a cursor for the rest.

use serde::Serialize;

use crate::{Error, progress};

/// What a caller asked of a list.
#[derive(Debug, Clone, Copy)]
pub(super) struct Window {
    pub(super) limit: usize,
    pub(super) most_bytes: usize,
}

/// Room that the rest of an answer takes.
const AROUND: usize = 2_000;

impl Window {
    pub(super) fn new(
        limit: Option<usize>,
        default: usize,
        most: usize,
        most_bytes: usize,
    ) -> Result<Self, Error> {
        let limit = limit.unwrap_or(default);
        if limit == 0 || limit > most {
            return Err(Error::invalid(
                "invalid_arguments",
                format!("`limit` is a whole number from 1 to {most}."),
            )
            .with_hint(format!("Leave it out for {default}.")));
        }
        Ok(Self { limit, most_bytes: most_bytes.saturating_sub(AROUND) })
    }

    /// Rows until the limit or the room is used up, at least one; and whether that was all.
    pub(super) fn fill<S, T: Serialize>(
        self,
        source: impl IntoIterator<Item = S>,
        mut row: impl FnMut(S) -> Result<Option<T>, Error>,
    ) -> Result<(Vec<T>, bool), Error> {
        let (mut rows, mut bytes) = (Vec::new(), 0);
        for (place, item) in source.into_iter().enumerate() {
            progress::tell("comparing entries with the code", place, None);
            let Some(made) = row(item)? else { continue };
            bytes += serde_json::to_vec(&made).map_or(0, |bytes| bytes.len() + 1);
            if rows.len() == self.limit || (bytes > self.most_bytes && !rows.is_empty()) {
                return Ok((rows, false));
            }
            rows.push(made);
        }
        Ok((rows, true))
    }
}

pub(super) fn invalid_cursor() -> Error {
    Error::invalid("invalid_cursor", "The `cursor` is not one that this call gave out.").with_hint(
        "Pass the nextCursor of the answer before with the same arguments, or leave it out to begin anew.",
    )
}
