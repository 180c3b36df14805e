//! The protocol's own lists, page by page and continued by name, so that nothing shifts between pages.

use becket_engine::Error;
use rmcp::{ErrorData, model::PaginatedRequestParams};

use crate::route::protocol_error;

/// More tools, resources or prompts than this are given in several answers.
const PAGE: usize = 250;

/// The rows after the cursor, in their own order, and the cursor of the rest.
pub(crate) fn page<T: Clone>(
    rows: &[T],
    name: impl Fn(&T) -> String,
    request: Option<PaginatedRequestParams>,
) -> Result<(Vec<T>, Option<String>), ErrorData> {
    let start = match request.and_then(|request| request.cursor) {
        None => 0,
        Some(cursor) => {
            let before = rows.iter().position(|row| name(row) == cursor).ok_or_else(|| {
                protocol_error(
                    &Error::invalid("invalid_cursor", "The cursor is not one that this server gave out.")
                        .with_hint("Leave it out to begin anew."),
                )
            })?;
            before + 1
        }
    };
    let rest = rows.get(start..).unwrap_or_default();
    let shown = rest.get(..PAGE).unwrap_or(rest);
    let next = if shown.len() < rest.len() { shown.last().map(name) } else { None };
    Ok((shown.to_vec(), next))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ask(cursor: &str) -> PaginatedRequestParams {
        PaginatedRequestParams::default().with_cursor(Some(cursor.to_owned()))
    }

    #[test]
    fn a_long_list_comes_in_pages_that_hold_every_row_once() {
        let rows: Vec<usize> = (0..600).collect();
        let (mut seen, mut next) = page(&rows, usize::to_string, None).unwrap();
        while let Some(cursor) = next {
            let (more, after) = page(&rows, usize::to_string, Some(ask(&cursor))).unwrap();
            seen.extend(more);
            next = after;
        }
        assert_eq!(seen, rows);
    }

    #[test]
    fn a_foreign_cursor_is_refused() {
        let error = page(&[1], usize::to_string, Some(ask("x"))).unwrap_err();
        assert_eq!(error.code.0, -32602);
        assert_eq!(error.data.unwrap()["code"], "invalid_cursor");
    }
}
