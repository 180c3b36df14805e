//! The line that shows why an entry was found, bounded.

use super::{corpus::Document, rank::query_terms, words::words};
use crate::entry::split_lines;

/// In characters.
pub const LONGEST_SNIPPET: usize = 240;

impl Document {
    /// The first line with the query in it, else the line with most of its words, else the title.
    pub fn snippet(&self, query: &str) -> String {
        let lower = query.to_lowercase();
        let first_of_query =
            lower.split(['\n', '\r']).find(|line| !line.trim().is_empty()).unwrap_or("").trim();
        if first_of_query.is_empty() {
            return bounded(&self.title, 0);
        }
        let literal = split_lines(&self.text).find_map(|line| {
            let line_lower = line.to_lowercase();
            let found = line_lower.find(&lower).or_else(|| line_lower.find(first_of_query))?;
            Some((line, line_lower[..found].chars().count()))
        });
        if let Some((line, column)) = literal {
            return bounded(line, column);
        }
        let terms = query_terms(query);
        let matching = |line: &str| {
            let mut found = 0;
            words(line, |word| found += usize::from(terms.contains(word)));
            found
        };
        let mut best = (0, self.title.as_str());
        for line in split_lines(&self.text) {
            let found = matching(line);
            if found > best.0 {
                best = (found, line);
            }
        }
        bounded(best.1, 0)
    }
}

/// At most [`LONGEST_SNIPPET`] characters of a line, around a column.
pub fn bounded(line: &str, column: usize) -> String {
    let line = line.trim();
    let length = line.chars().count();
    if length <= LONGEST_SNIPPET {
        return line.to_owned();
    }
    let start = column.saturating_sub(LONGEST_SNIPPET / 3).min(length - LONGEST_SNIPPET);
    let middle: String = line.chars().skip(start).take(LONGEST_SNIPPET).collect();
    let (before, after) =
        (if start > 0 { "…" } else { "" }, if start + LONGEST_SNIPPET < length { "…" } else { "" });
    format!("{before}{}{after}", middle.trim())
}
