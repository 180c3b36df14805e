//! The section of a document of requirements that a task points to: found by heading, anchor or lines, hashed on its
//! own, and cut to a budget. Text in, text out: what may be read is decided elsewhere.

mod excerpt;

use pulldown_cmark::{Event, HeadingLevel, Options, Parser, Tag, TagEnd};
use sha2::{Digest, Sha256};

use crate::spec_file::PrdReference;

pub use excerpt::{Excerpt, excerpt};

/// A part of the document.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Section<'t> {
    pub text: &'t str,
    /// Counted from 1.
    pub first_line: usize,
    pub last_line: usize,
}

#[derive(Debug)]
struct Heading {
    start: usize,
    level: HeadingLevel,
    text: String,
    /// `{#anchor}`.
    anchor: Option<String>,
    /// As the usual renderers make one from the text.
    slug: String,
}

/// The section that a reference means; nothing where the document has no such section.
pub fn section<'t>(document: &'t str, reference: &PrdReference) -> Option<Section<'t>> {
    match reference.lines {
        Some((first, last)) => lines(document, first, last),
        None => by_heading(document, &reference.anchor),
    }
}

/// Every anchor by which a section can be named, in order.
pub fn anchors(document: &str) -> Vec<String> {
    headings(document).into_iter().map(|heading| heading.anchor.unwrap_or(heading.slug)).collect()
}

/// SHA-256 in hexadecimal, of the text with line feeds: a checkout on another system is no drift.
pub fn hash(text: &str) -> String {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let digest = Sha256::digest(text.replace("\r\n", "\n").replace('\r', "\n").as_bytes());
    let hexadecimal: Vec<String> = digest.iter().map(|byte| format!("{byte:02x}")).collect();
    hexadecimal.concat()
}

/// The hash of a section: blank lines around it say nothing.
pub fn section_hash(section: &Section<'_>) -> String {
    hash(section.text.trim())
}

fn lines(document: &str, first: u64, last: u64) -> Option<Section<'_>> {
    let (first, last) = (usize::try_from(first).ok()?.max(1), usize::try_from(last).ok()?);
    let mut starts = vec![0];
    starts.extend(document.match_indices('\n').map(|(at, _)| at + 1).filter(|at| *at < document.len()));
    if last < first || first > starts.len() || document.is_empty() {
        return None;
    }
    let last = last.min(starts.len());
    let start = *starts.get(first - 1)?;
    let end = starts.get(last).copied().unwrap_or(document.len());
    Some(Section { text: document.get(start..end)?, first_line: first, last_line: last })
}

fn by_heading<'t>(document: &'t str, wanted: &str) -> Option<Section<'t>> {
    let wanted = wanted.trim().trim_start_matches('#').trim();
    if wanted.is_empty() {
        return None;
    }
    let headings = headings(document);
    let folded = fold(wanted);
    let index = headings
        .iter()
        .position(|heading| heading.anchor.as_deref() == Some(wanted))
        .or_else(|| headings.iter().position(|heading| heading.slug == wanted.to_lowercase()))
        .or_else(|| headings.iter().position(|heading| fold(&heading.text) == folded))
        .or_else(|| headings.iter().position(|heading| begins(&fold(&heading.text), &folded)))?;
    let heading = headings.get(index)?;
    let end = headings
        .iter()
        .skip(index + 1)
        .find(|next| next.level <= heading.level)
        .map_or(document.len(), |next| next.start);
    let text = document.get(heading.start..end)?;
    let first_line = document.get(..heading.start)?.matches('\n').count() + 1;
    let last_line = first_line + text.trim_end().matches('\n').count();
    Some(Section { text, first_line, last_line })
}

/// Dashes, blanks and case do not tell headings apart.
fn fold(text: &str) -> String {
    let words: Vec<&str> =
        text.split(|one: char| one.is_whitespace() || one == '-').filter(|word| !word.is_empty()).collect();
    words.join(" ").to_lowercase()
}

/// `1.2` begins `1.2 Login` and not `1.20 Logout`.
fn begins(heading: &str, wanted: &str) -> bool {
    heading
        .strip_prefix(wanted)
        .is_some_and(|rest| rest.chars().next().is_none_or(|next| !next.is_alphanumeric()))
}

fn headings(document: &str) -> Vec<Heading> {
    let options = Options::ENABLE_HEADING_ATTRIBUTES
        | Options::ENABLE_TABLES
        | Options::ENABLE_YAML_STYLE_METADATA_BLOCKS;
    let mut headings: Vec<Heading> = Vec::new();
    let mut inside: Option<Heading> = None;
    // A heading inside a quotation or a list divides nothing.
    let mut depth = 0_usize;
    for (event, range) in Parser::new_ext(document, options).into_offset_iter() {
        match event {
            Event::Start(Tag::Heading { level, id, .. }) if depth == 0 => {
                inside = Some(Heading {
                    start: range.start,
                    level,
                    text: String::new(),
                    anchor: id.map(|id| id.to_string()),
                    slug: String::new(),
                });
            }
            Event::End(TagEnd::Heading(_)) => {
                if let Some(mut heading) = inside.take() {
                    let plain = slug(&heading.text);
                    let repeated = headings.iter().filter(|one| slug(&one.text) == plain).count();
                    heading.slug = if repeated == 0 { plain } else { format!("{plain}-{repeated}") };
                    headings.push(heading);
                }
            }
            Event::Start(Tag::BlockQuote(_) | Tag::Item) => depth += 1,
            Event::End(TagEnd::BlockQuote(_) | TagEnd::Item) => depth = depth.saturating_sub(1),
            Event::Text(text) | Event::Code(text) => {
                if let Some(heading) = &mut inside {
                    heading.text.push_str(&text);
                }
            }
            _ => {}
        }
    }
    headings
}

fn slug(text: &str) -> String {
    let kept = text.trim().chars().filter(|one| one.is_alphanumeric() || matches!(one, ' ' | '-' | '_'));
    kept.map(|one| if one == ' ' { '-' } else { one }).flat_map(char::to_lowercase).collect()
}

#[cfg(test)]
mod tests;
