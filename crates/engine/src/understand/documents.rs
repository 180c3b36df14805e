//! The seven documents that explain the plane to an agent, embedded; where an answer has no room for all, part by part.

use schemars::JsonSchema;
use serde::Serialize;

use super::part::size;
use crate::{Engine, Error};

/// Also what `stamp init` puts into a project.
pub(super) const GUIDE: &str = include_str!("docs/for-llms.md");

/// In the order in which they are read.
const TEXTS: [(&str, &str); 7] = [
    ("forLLMs", GUIDE),
    ("usage", include_str!("docs/usage.md")),
    ("uifContracts", include_str!("docs/uif-contracts.md")),
    ("schema", include_str!("docs/schema.md")),
    ("context", include_str!("docs/context.md")),
    ("compareModes", include_str!("docs/compare-modes.md")),
    ("limitations", include_str!("docs/limitations.md")),
];

/// Room for what stands around them.
const FRAME: usize = 400;

#[derive(Debug, Clone, Default)]
pub struct DocumentsRequest {
    /// Where the answer before ended.
    pub cursor: Option<String>,
}

/// By the seed's keys: all of them, or those that there is room for.
#[derive(Debug, Clone, Default, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Documents {
    #[serde(rename = "forLLMs", skip_serializing_if = "Option::is_none")]
    pub for_llms: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub usage: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub uif_contracts: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub schema: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub context: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub compare_modes: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub limitations: Option<String>,
    /// Asks for the rest.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub next_cursor: Option<String>,
    /// Set when not all is shown.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub notice: Option<String>,
}

impl Documents {
    fn place(&mut self, at: usize) -> &mut Option<String> {
        match at {
            0 => &mut self.for_llms,
            1 => &mut self.usage,
            2 => &mut self.uif_contracts,
            3 => &mut self.schema,
            4 => &mut self.context,
            5 => &mut self.compare_modes,
            _ => &mut self.limitations,
        }
    }

    /// What there is of them, one after the other.
    pub fn text(&self) -> String {
        let texts = [
            &self.for_llms,
            &self.usage,
            &self.uif_contracts,
            &self.schema,
            &self.context,
            &self.compare_modes,
            &self.limitations,
        ];
        texts.into_iter().flatten().map(String::as_str).collect::<Vec<_>>().join("\n")
    }
}

impl Engine {
    pub fn logicstamp_documents(&self, request: &DocumentsRequest) -> Result<Documents, Error> {
        let (first, mut from) = match &request.cursor {
            None => (0, 0),
            Some(cursor) => place_of(cursor).ok_or_else(|| {
                Error::invalid("invalid_cursor", "The cursor is none of these documents.")
                    .with_hint("Take it from nextCursor of the answer before, or leave it out to begin.")
            })?,
        };
        let most = self.max_output_bytes();
        let mut room = most.saturating_sub(FRAME.min(most / 2));
        let mut documents = Documents::default();
        for (at, (key, text)) in TEXTS.iter().enumerate().skip(first) {
            let rest = &text[std::mem::take(&mut from)..];
            let shown = beginning(rest, room.saturating_sub(key.len()));
            room = room.saturating_sub(key.len() + size(&shown));
            if !shown.is_empty() {
                *documents.place(at) = Some(shown.to_owned());
            }
            if shown.len() < rest.len() {
                let end = text.len() - rest.len() + shown.len();
                documents.next_cursor = Some(format!("{key}:{end}"));
                documents.notice = Some(format!(
                    "{at} of {} documents end here; call again with nextCursor as cursor for the rest.",
                    TEXTS.len()
                ));
                break;
            }
        }
        Ok(documents)
    }
}

/// Which document, and which byte of it.
fn place_of(cursor: &str) -> Option<(usize, usize)> {
    let (key, from) = cursor.split_once(':')?;
    let at = TEXTS.iter().position(|(known, _)| *known == key)?;
    let from = from.parse().ok()?;
    TEXTS[at].1.is_char_boundary(from).then_some((at, from))
}

/// As many whole lines as fit into `room` bytes of JSON.
fn beginning(text: &str, room: usize) -> &str {
    let mut spent = 2;
    let fits = |line: &&str| {
        spent += size(line) - 2;
        spent <= room
    };
    let end: usize = text.split_inclusive('\n').take_while(fits).map(str::len).sum();
    &text[..end]
}
