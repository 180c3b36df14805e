//! Where a task comes from in a document of requirements: what a caller may say of it, and the pointer that is kept.

use becket_store::{
    prd,
    spec_file::{Prd, PrdReference},
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::board::Board;
use crate::{Engine, Error};

/// Where the task comes from in the document of requirements.
#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct PrdInput {
    /// The file, relative to the root.
    pub source: String,
    /// Headings, anchors or lines in it.
    #[serde(default)]
    pub refs: Vec<PrdRef>,
    #[serde(default)]
    pub excerpt: Option<String>,
    /// Whether file and anchors must exist; they must if left out.
    #[serde(default)]
    pub validate: Option<bool>,
}

/// One section of it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(untagged)]
pub enum PrdRef {
    /// A heading, an anchor, or lines as L10-L20.
    Name(String),
    /// As a task shows it: lines win over the anchor.
    Place {
        #[serde(default)]
        anchor: Option<String>,
        /// First and last, counted from 1.
        #[serde(default)]
        lines: Option<[u64; 2]>,
    },
}

impl PrdRef {
    fn reference(&self) -> Result<PrdReference, Error> {
        let (anchor, lines) = match self {
            Self::Name(name) => match lines(name) {
                Some(lines) => (None, Some(lines)),
                None => (Some(name.as_str()), None),
            },
            Self::Place { anchor, lines } => (anchor.as_deref(), *lines),
        };
        let anchor = anchor.map(|anchor| anchor.trim_start_matches('#').trim()).unwrap_or_default();
        match lines {
            None if anchor.is_empty() => {
                Err(invalid("A reference to a document names neither a section nor lines."))
            }
            Some([first, last]) if first == 0 || last < first => {
                Err(invalid("Lines are counted from 1, and the last is not before the first."))
            }
            _ => Ok(PrdReference {
                anchor: anchor.to_owned(),
                lines: lines.map(|[first, last]| (first, last)),
                section_hash: None,
            }),
        }
    }
}

/// `L10-L20`, `L10-20` or `L10`.
fn lines(name: &str) -> Option<[u64; 2]> {
    let rest = name.trim_start_matches('#').strip_prefix('L')?;
    let (first, last) = rest.split_once('-').unwrap_or((rest, rest));
    Some([first.parse().ok()?, last.strip_prefix('L').unwrap_or(last).parse().ok()?])
}

fn invalid(message: &str) -> Error {
    Error::invalid("invalid_arguments", message)
        .with_hint("A reference is a heading, its {#anchor}, L10-L20, or {anchor, lines: [10, 20]}.")
}

impl Engine {
    /// The pointer with the hashes of today, and what is odd about it.
    pub(super) fn prd_of(&self, board: &Board, input: &PrdInput) -> Result<(Prd, Vec<String>), Error> {
        let mut refs = input.refs.iter().map(PrdRef::reference).collect::<Result<Vec<_>, _>>()?;
        let kept = |refs, prd_hash| Prd {
            source: input.source.clone(),
            refs,
            excerpt: input.excerpt.clone(),
            prd_hash,
        };
        let strict = input.validate.unwrap_or(true);
        let document = match self.prd_document(board, &input.source) {
            Ok(document) => document,
            Err(error) if strict || error.kind() == crate::ErrorKind::Denied => return Err(error),
            Err(error) => return Ok((kept(refs, None), vec![error.message().to_owned()])),
        };
        for reference in &mut refs {
            reference.section_hash =
                prd::section(&document, reference).map(|section| prd::section_hash(&section));
        }
        let mut warnings = Vec::new();
        if let Some(lost) = refs.iter().find(|reference| reference.section_hash.is_none()) {
            let message = match lost.lines {
                Some((first, last)) => format!("`{}` has no lines {first} to {last}.", input.source),
                None => {
                    format!("`{}` has no section `{}`.", input.source, becket_base::clip(&lost.anchor, 80))
                }
            };
            if strict {
                let known = prd::anchors(&document);
                let hint = match becket_base::nearest(&lost.anchor, known.iter().map(String::as_str)) {
                    Some(nearest) if lost.lines.is_none() => format!("Did you mean `{nearest}`?"),
                    _ => "Name a heading of the document, its {#anchor}, or lines that it has.".to_owned(),
                };
                return Err(Error::not_found("prd_section_missing", message).with_hint(hint));
            }
            warnings.push(message);
        }
        Ok((kept(refs, Some(prd::hash(&document))), warnings))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_section_is_named_or_counted_out() {
        let read = |text: &str| serde_json::from_str::<PrdRef>(text).unwrap().reference();
        let named = |text: &str| read(text).map(|one| (one.anchor, one.lines)).ok();
        assert_eq!(named(r##""#login""##), Some(("login".to_owned(), None)));
        assert_eq!(named(r#""L10-L20""#), Some((String::new(), Some((10, 20)))));
        assert_eq!(named(r##""#L7""##), Some((String::new(), Some((7, 7)))));
        assert_eq!(named(r#""Login""#), Some(("Login".to_owned(), None)), "a heading that begins with L");
        assert_eq!(
            named(r#"{"anchor": "login", "lines": [2, 3]}"#),
            Some(("login".to_owned(), Some((2, 3))))
        );
        assert_eq!(named(r#"{"anchor": "login"}"#), Some(("login".to_owned(), None)));
        for wrong in [r#"{}"#, r#""""#, r##""#""##, r#"{"lines": [0, 3]}"#, r#"{"lines": [4, 3]}"#] {
            assert_eq!(read(wrong).unwrap_err().code(), "invalid_arguments", "{wrong}");
        }
    }
}
