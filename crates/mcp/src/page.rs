//! Bounded lists: how many rows an answer shows, how it says that it was cut, and how to get the rest.

use becket_engine::Error;
use rmcp::model::JsonObject;
use serde_json::{Value, json};

use crate::{
    schema,
    tool::{Order, Page},
};

const CURSOR_PREFIX: &str = "after:";

impl Page {
    pub(crate) fn add_to_input(self, input: &mut JsonObject) {
        if let Some(properties) = input.get_mut("properties").and_then(Value::as_object_mut) {
            properties.insert(
                "limit".to_owned(),
                json!({
                    "type": "integer", "minimum": 1, "maximum": self.most, "default": self.default_limit,
                    "description": format!("How many {} to show at most.", self.list),
                }),
            );
            properties.insert(
                "cursor".to_owned(),
                json!({"type": "string", "description": "The nextCursor of the answer before, to go on from there."}),
            );
        }
    }

    pub(crate) fn add_to_output(self, output: &mut JsonObject) {
        if let Some(properties) = output.get_mut("properties").and_then(Value::as_object_mut) {
            properties.insert(
                "nextCursor".to_owned(),
                json!({"type": "string", "description": format!("Where the rest of {} begins; absent at the end.", self.list)}),
            );
            properties.insert(
                "cut".to_owned(),
                json!({"type": "string", "description": "What was left out of this answer, and how to get it."}),
            );
        }
    }
}

/// What the caller asked of the list.
#[derive(Debug)]
pub(crate) struct Request {
    page: Page,
    limit: usize,
    after: Option<String>,
    /// Where the rest is, if not behind a cursor.
    rest: Option<&'static str>,
}

impl Request {
    /// Takes `limit` and `cursor` out of the arguments; the tool itself never sees them.
    pub(crate) fn take(page: Page, arguments: &mut JsonObject) -> Result<Self, Error> {
        let limit = match arguments.remove("limit") {
            None => page.default_limit,
            Some(value) => value
                .as_u64()
                .and_then(|limit| usize::try_from(limit).ok())
                .filter(|limit| (1..=page.most).contains(limit))
                .ok_or_else(|| {
                    Error::invalid(
                        "invalid_arguments",
                        format!("`limit` is a whole number from 1 to {}.", page.most),
                    )
                    .with_hint(format!("Leave it out for {}.", page.default_limit))
                })?,
        };
        let after = match arguments.remove("cursor") {
            None => None,
            Some(Value::String(cursor)) if cursor.starts_with(CURSOR_PREFIX) => {
                Some(cursor[CURSOR_PREFIX.len()..].to_owned())
            }
            Some(_) => {
                return Err(Error::invalid(
                    "invalid_cursor",
                    "The `cursor` is not one that this tool gave out.",
                )
                .with_hint(
                    "Pass the nextCursor of the answer before, unchanged, or leave it out to begin anew.",
                ));
            }
        };
        Ok(Self { page, limit, after, rest: None })
    }

    /// For a call that must not be made again to go on: the rest is there, and no cursor is taken.
    pub(crate) fn ending(self, rest: Option<&'static str>) -> Result<Self, Error> {
        match rest {
            Some(rest) if self.after.is_some() => {
                let message =
                    format!("This call would be made again: {} go on by no `cursor`.", self.page.list);
                Err(Error::invalid("invalid_cursor", message).with_hint(format!("Nothing was done. {rest}")))
            }
            rest => Ok(Self { rest, ..self }),
        }
    }

    /// Keeps one page of the list, within the byte budget; gives the notice if anything was left out.
    pub(crate) fn bound(&self, value: &mut Value, most_bytes: usize) -> Result<Option<String>, Error> {
        let Some(rows) = value.get_mut(self.page.list).and_then(Value::as_array_mut) else { return Ok(None) };
        let total = rows.len();
        if let Some(after) = &self.after {
            let key = |row: &Value| row.get(self.page.key).and_then(Value::as_str).map(str::to_owned);
            match rows.iter().position(|row| key(row).as_ref() == Some(after)) {
                Some(place) => drop(rows.drain(..=place)),
                None if self.page.order == Order::ByKey => {
                    rows.retain(|row| key(row).is_some_and(|key| key > *after));
                }
                None => {
                    let message =
                        format!("The {} are not those any more that the `cursor` is of.", self.page.list);
                    return Err(Error::invalid("invalid_cursor", message)
                        .with_hint("Leave the cursor out to begin anew."));
                }
            }
        }
        let before = total - rows.len();
        Ok(self.cut(value, most_bytes, before, total))
    }

    fn cut(&self, value: &mut Value, most_bytes: usize, before: usize, total: usize) -> Option<String> {
        let rows = value.get_mut(self.page.list)?.as_array_mut()?;
        let mut rest = rows.split_off(rows.len().min(self.limit));
        loop {
            let excess = schema::size_of(value).saturating_sub(most_bytes.saturating_sub(1_000));
            let rows = value.get_mut(self.page.list)?.as_array_mut()?;
            if excess == 0 || rows.len() <= 1 {
                break;
            }
            let keep = (rows.len() - 1).min(rows.len() / 2 + 1);
            let mut dropped = rows.split_off(keep);
            dropped.append(&mut rest);
            rest = dropped;
        }
        if rest.is_empty() {
            return None;
        }
        let rows = value.get(self.page.list)?.as_array()?;
        let shown = rows.len();
        let last = rows.last()?.get(self.page.key)?.as_str()?.to_owned();
        let (list, first, end) = (self.page.list, before + 1, before + shown);
        let rest = self.rest.unwrap_or("call again with `cursor` set to nextCursor for the rest.");
        let notice = format!("{list} {first} to {end} of {total} are shown; {rest}");
        let object = value.as_object_mut()?;
        if self.rest.is_none() {
            object.insert("nextCursor".to_owned(), format!("{CURSOR_PREFIX}{last}").into());
        }
        object.insert("cut".to_owned(), notice.clone().into());
        Some(notice)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const PAGE: Page = Page { list: "rows", key: "path", order: Order::ByKey, default_limit: 3, most: 10 };

    fn rows(names: impl IntoIterator<Item = String>) -> Value {
        json!({"rows": names.into_iter().map(|name| json!({"path": name, "text": "x".repeat(50)})).collect::<Vec<_>>()})
    }

    fn ask(arguments: Value) -> Result<Request, Error> {
        let Value::Object(mut arguments) = arguments else { panic!("an object") };
        Request::take(PAGE, &mut arguments)
    }

    /// Where an answer before ended; from the beginning where it did not.
    fn from(cursor: &Value) -> Value {
        if cursor.is_null() { json!({}) } else { json!({"cursor": cursor}) }
    }

    #[test]
    fn every_row_is_seen_once_though_rows_come_and_go_between_pages() {
        let mut present: Vec<String> = (0..9).map(|n| format!("r{n}")).collect();
        let mut seen = Vec::new();
        let mut cursor = Value::Null;
        loop {
            let mut value = rows(present.clone());
            ask(from(&cursor)).unwrap().bound(&mut value, 100_000).unwrap();
            seen.extend(
                value["rows"].as_array().unwrap().iter().map(|row| row["path"].as_str().unwrap().to_owned()),
            );
            // A row before the cursor goes, another comes: neither shifts the rest.
            present.retain(|name| name != "r0");
            present.insert(0, "a".to_owned());
            present.sort();
            present.dedup();
            cursor = value["nextCursor"].clone();
            if cursor.is_null() {
                break;
            }
        }
        assert_eq!(seen, (0..9).map(|n| format!("r{n}")).collect::<Vec<_>>());
    }

    #[test]
    fn a_cut_is_said_in_words() {
        let mut value = rows((0..5).map(|n| format!("r{n}")));
        let notice = ask(json!({"limit": 2})).unwrap().bound(&mut value, 100_000).unwrap().unwrap();
        assert_eq!(
            notice,
            "rows 1 to 2 of 5 are shown; call again with `cursor` set to nextCursor for the rest."
        );
        assert_eq!(value["cut"], notice);
        assert_eq!(value["nextCursor"], "after:r1");
    }

    #[test]
    fn the_byte_budget_cuts_too_and_loses_nothing() {
        let mut seen = 0;
        let mut cursor = Value::Null;
        loop {
            let mut value = rows((0..10).map(|n| format!("r{n}")));
            let mut asked = from(&cursor);
            asked["limit"] = json!(10);
            ask(asked).unwrap().bound(&mut value, 1_300).unwrap();
            assert!(schema::size_of(&value) <= 1_300);
            seen += value["rows"].as_array().unwrap().len();
            cursor = value["nextCursor"].clone();
            if cursor.is_null() {
                break;
            }
        }
        assert_eq!(seen, 10);
    }

    #[test]
    fn bad_limits_and_cursors_are_refused() {
        for limit in [json!(0), json!(11), json!(-1), json!("3"), json!(1.5), json!(null)] {
            assert_eq!(ask(json!({"limit": limit})).unwrap_err().code(), "invalid_arguments");
        }
        assert_eq!(ask(json!({"cursor": "r1"})).unwrap_err().code(), "invalid_cursor");
        assert_eq!(ask(json!({"cursor": 7})).unwrap_err().code(), "invalid_cursor");
        assert_eq!(ask(json!({"cursor": null})).unwrap_err().code(), "invalid_cursor");
    }

    #[test]
    fn where_rows_have_an_order_of_their_own_a_row_that_has_gone_ends_the_cursor() {
        let page = Page { order: Order::Own, ..PAGE };
        let ask = |cursor: &str| {
            let Value::Object(mut arguments) = json!({"cursor": cursor}) else { panic!("an object") };
            Request::take(page, &mut arguments).unwrap()
        };
        let mut value = rows(["r10", "r9", "r8"].map(str::to_owned));
        ask("after:r9").bound(&mut value, 100_000).unwrap();
        assert_eq!(value["rows"].as_array().unwrap().len(), 1);
        let error = ask("after:r99").bound(&mut value, 100_000).unwrap_err();
        assert_eq!(error.code(), "invalid_cursor");
        assert!(error.hint().unwrap().contains("begin anew"), "{error:?}");
    }

    #[test]
    fn a_call_that_must_not_be_made_again_names_no_cursor_and_takes_none() {
        let ending = |arguments| ask(arguments).unwrap().ending(Some("`log` has the rest."));
        let mut value = rows((0..5).map(|n| format!("r{n}")));
        let notice = ending(json!({"limit": 2})).unwrap().bound(&mut value, 100_000).unwrap().unwrap();
        assert_eq!(notice, "rows 1 to 2 of 5 are shown; `log` has the rest.");
        assert!(value.get("nextCursor").is_none());
        assert_eq!(ending(json!({"cursor": "after:r1"})).unwrap_err().code(), "invalid_cursor");
    }
}
