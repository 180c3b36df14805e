//! Source text as far as memory needs it, in any language: what is a comment, which declaration a line stands in, which
//! comments refer to entries, and whether a piece is still the same. Owns these readings; does no I/O and parses no
//! grammar: where a language defeats them, the surrounding paragraph is what counts.

mod lexis;
mod mention;
mod outline;
mod region;
mod syntax;

pub use mention::{Mention, may_mention, mentions};
pub use outline::{Declaration, outline};
pub use region::{Piece, Region, find_piece, region_of_line};

use syntax::Syntax;

/// A source text, split into lines and read once.
#[derive(Debug)]
pub struct Source<'a> {
    pub(crate) text: &'a str,
    pub(crate) syntax: &'static Syntax,
    pub(crate) lines: Vec<&'a str>,
    /// Comments and strings, in order.
    pub(crate) spans: Vec<lexis::Span>,
    /// The text with comments and strings blanked, byte for byte as long.
    pub(crate) mask: String,
}

impl<'a> Source<'a> {
    pub fn new(path: &str, text: &'a str) -> Self {
        let syntax = syntax::of(path);
        let spans = lexis::spans(text, syntax);
        let mask = lexis::mask(text, &spans);
        Self { text, syntax, lines: text.split('\n').collect(), spans, mask }
    }

    /// One-based.
    pub(crate) fn line_at(&self, offset: usize) -> usize {
        self.text[..offset].matches('\n').count() + 1
    }
}
