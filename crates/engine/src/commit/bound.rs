//! How much an answer holds: rows, bytes and the cursor that leads to the rest.

use serde::Serialize;

use super::view::ChangeView;
use crate::{Engine, Error};

/// How much of it is wanted.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Extent {
    /// What an agent can take in, by `mcp.max_output_bytes`; the rest by cursor.
    #[default]
    Answer,
    /// Everything that was read.
    Whole,
}

/// Room that the rest of an answer takes.
const AROUND: usize = 4_000;
const CURSOR_PREFIX: &str = "after:";
/// The longest change takes this part of an answer.
const SHARES: usize = 4;

impl Engine {
    /// Bytes of JSON that the rows of an answer may take.
    pub(super) fn room(&self, extent: Extent) -> usize {
        match extent {
            Extent::Answer => self.max_output_bytes().saturating_sub(AROUND),
            Extent::Whole => usize::MAX,
        }
    }
}

/// The part of a list of changes that a caller asked for.
#[derive(Debug)]
pub(super) struct Window {
    limit: usize,
    room: usize,
    after: Option<Vec<u8>>,
}

/// One page of changes.
#[derive(Debug)]
pub(super) struct Page {
    pub(super) changes: Vec<ChangeView>,
    pub(super) next_cursor: Option<String>,
    pub(super) cut: Option<String>,
}

pub(super) const DEFAULT_CHANGES: usize = 200;
pub(super) const MOST_CHANGES: usize = 1_000;

impl Window {
    pub(super) fn new(
        limit: Option<usize>,
        cursor: Option<&str>,
        extent: Extent,
        room: usize,
    ) -> Result<Self, Error> {
        let limit = match (limit, extent) {
            (None, Extent::Answer) => DEFAULT_CHANGES,
            (None, Extent::Whole) => usize::MAX,
            (Some(limit), _) if (1..=MOST_CHANGES).contains(&limit) => limit,
            (Some(_), _) => {
                let message = format!("`limit` is a whole number from 1 to {MOST_CHANGES}.");
                return Err(Error::invalid("invalid_arguments", message)
                    .with_hint(format!("Leave it out for {DEFAULT_CHANGES}.")));
            }
        };
        let after = cursor.map(|cursor| {
            let digits = cursor.strip_prefix(CURSOR_PREFIX).ok_or_else(invalid_cursor)?;
            from_hex(digits).ok_or_else(invalid_cursor)
        });
        Ok(Self { limit, room, after: after.transpose()? })
    }

    /// Fills a page from changes in the order of their paths' bytes, each made only when there is room for it.
    pub(super) fn fill<T>(
        &self,
        changes: &[T],
        key: impl Fn(&T) -> &[u8],
        view: impl Fn(&T) -> ChangeView,
    ) -> Page {
        // By key, so that changes that come or go between two pages neither shift nor repeat others.
        let start = self
            .after
            .as_ref()
            .map_or(0, |after| changes.partition_point(|change| key(change) <= after.as_slice()));
        let mut page = Page { changes: Vec::new(), next_cursor: None, cut: None };
        let mut used = 0;
        // One long change must not hide the others from a caller who knows no cursor; asked for alone it has all the room.
        let alone = changes.len().saturating_sub(start).min(self.limit) == 1;
        let share = if alone { self.room } else { self.room / SHARES };
        for change in &changes[start..] {
            if page.changes.len() == self.limit {
                break;
            }
            let mut view = view(change);
            view.fit(share);
            used += json_size(&view) + 1;
            if used > self.room && !page.changes.is_empty() {
                break;
            }
            page.changes.push(view);
        }
        let end = start + page.changes.len();
        if end < changes.len() {
            let last = changes.get(end.saturating_sub(1)).map(&key).unwrap_or_default();
            page.next_cursor = Some(format!("{CURSOR_PREFIX}{}", to_hex(last)));
            page.cut = Some(format!(
                "changes {} to {end} of {} are shown; call again with `cursor` set to nextCursor for the rest.",
                start + 1,
                changes.len(),
            ));
        }
        page
    }
}

/// How many rows fit into `room`, one at least.
pub(super) fn fitting<T: Serialize>(rows: &[T], room: usize) -> usize {
    let mut used = 0_usize;
    let fit = rows.iter().take_while(|row| {
        used = used.saturating_add(json_size(row) + 1);
        used <= room
    });
    fit.count().max(1).min(rows.len())
}

pub(super) fn json_size(value: &impl Serialize) -> usize {
    serde_json::to_vec(value).map_or(0, |bytes| bytes.len())
}

pub(super) fn invalid_cursor() -> Error {
    Error::invalid("invalid_cursor", "The `cursor` is not one that this call gave out.").with_hint(
        "Pass the nextCursor of the answer before with the same arguments, or leave it out to begin anew.",
    )
}

fn to_hex(bytes: &[u8]) -> String {
    let digit = |value: u8| char::from_digit(u32::from(value), 16).unwrap_or('0');
    bytes.iter().flat_map(|byte| [digit(byte >> 4), digit(byte & 15)]).collect()
}

fn from_hex(digits: &str) -> Option<Vec<u8>> {
    if !digits.len().is_multiple_of(2) || !digits.bytes().all(|digit| digit.is_ascii_hexdigit()) {
        return None;
    }
    let pairs = (0..digits.len()).step_by(2).map(|start| digits.get(start..start + 2));
    pairs.map(|pair| u8::from_str_radix(pair?, 16).ok()).collect()
}
