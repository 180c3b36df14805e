//! How much contracts may cost. One contract says what one file promises, and in a large project the whole of them is to
//! stay a share of its source: at most 25 % of its tokens without code, 40 % with headers.
//!
//! The seed's fields come first. What gives way is text of our own: signatures and headers are cut to the room that is
//! left. Only where files are so small that the fields alone would cost more than the share do small files leave out
//! fields that say nothing of them.

use super::CodeMode;

/// Fewer files are never cut.
const MANY: usize = 200;
/// The mean size, in bytes, under which the seed's fields do not fit into the share: a contract that has all of them costs
/// about as much as 600 bytes of source.
const SMALL: usize = 3_000;

/// What a project's size asks of its contracts.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash)]
pub enum Thrift {
    /// Nothing is cut.
    #[default]
    None,
    /// Many files: signatures have the room that the fields leave.
    Texts,
    /// Many, and small on average: small files leave out fields, too.
    Fields,
}

/// How much is said beside what only this file can say; each leaves out what those before it leave out.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Words {
    All,
    /// No `fileHash`, which the seed's contracts have not either.
    Unhashed,
    /// No imports, which are the edges of the graph, and names that are exported once.
    Once,
    /// Nothing that is empty.
    Filled,
    /// Nothing that is the same in every contract.
    Own,
    /// No `description`, which is put together of the file's name, its kind and its routes.
    Least,
}

/// Percent of what the tokens of a source would be in bytes of JSON.
#[derive(Debug, Clone, Copy)]
pub(super) struct Share {
    /// From everything on, the words to try.
    pub(super) words: &'static [Words],
    /// The first words that fit into so much are taken, else the last.
    fields: usize,
    /// The fields and the signatures together.
    texts: usize,
    /// The merged props alone, and what they come from that no file of the project declares: a component may inherit more
    /// of them than its source has words.
    props: usize,
}

/// Bytes of a contract that cost a token, in tenths. Sources are anywhere between 27 (numbers) and 45 (indented code).
const TOKEN: usize = 38;

/// Room for props however small a file is, in bytes.
const LEAST_PROPS: usize = 120;

impl Thrift {
    /// Of a project of so many files, which have so many bytes together.
    pub fn of(files: usize, bytes: usize) -> Self {
        if files < MANY {
            Self::None
        } else if bytes >= files.saturating_mul(SMALL) {
            Self::Texts
        } else {
            Self::Fields
        }
    }

    pub(super) fn share(self, mode: CodeMode) -> Option<Share> {
        use Words::{All, Filled, Least, Once, Own, Unhashed};
        let none = mode == CodeMode::None;
        match self {
            Self::None => None,
            Self::Texts if none => Some(Share { words: &[Unhashed], fields: 0, texts: 12, props: 8 }),
            Self::Texts => Some(Share { words: &[All], fields: 0, texts: 36, props: 14 }),
            Self::Fields if none => {
                Some(Share { words: &[Unhashed, Once, Filled, Own, Least], fields: 12, texts: 9, props: 5 })
            }
            Self::Fields => {
                Some(Share { words: &[All, Unhashed, Once, Filled], fields: 24, texts: 28, props: 14 })
            }
        }
    }
}

impl Share {
    pub(super) fn fields(self, tokens: usize) -> usize {
        bytes(tokens, self.fields)
    }

    pub(super) fn props(self, tokens: usize) -> usize {
        bytes(tokens, self.props).max(LEAST_PROPS)
    }

    pub(super) fn texts(self, tokens: usize) -> usize {
        bytes(tokens, self.texts)
    }
}

fn bytes(tokens: usize, percent: usize) -> usize {
    tokens.saturating_mul(percent * TOKEN) / 1_000
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_many_small_files_give_up_fields() {
        assert_eq!(Thrift::of(199, 0), Thrift::None);
        assert_eq!(Thrift::of(200, 200 * SMALL), Thrift::Texts);
        assert_eq!(Thrift::of(200, 200 * SMALL - 1), Thrift::Fields);
        assert_eq!(Thrift::of(usize::MAX, usize::MAX), Thrift::Texts);
    }
}
