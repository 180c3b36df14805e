//! How many tokens a text has in `o200k_base`, the encoding of GPT-4o: the same count as tiktoken's, and nothing to load.
//!
//! A text is cut into pieces as the encoding's pattern does (`split`), and each piece is merged by the ranks of the
//! vocabulary (`merge`), which is a table in the program itself (`vocabulary`; written by `cargo xtask vocabulary`). Special
//! tokens are ordinary text here, because source code is.

mod merge;
mod split;
mod vocabulary;

pub use vocabulary::hash;

use std::cell::RefCell;
use std::fmt;

/// The tokens of a text in `o200k_base`.
pub fn count(text: &str) -> usize {
    thread_local! {
        static COUNTER: RefCell<Counter> = RefCell::new(Counter::new());
    }
    COUNTER.with(|counter| match counter.try_borrow_mut() {
        Ok(mut counter) => counter.count(text),
        Err(_) => Counter::new().count(text),
    })
}

/// Counts, and remembers the pieces that it saw: code repeats itself.
pub struct Counter {
    seen: Vec<Seen>,
    merger: merge::Merger,
}

/// A short piece, exactly, and its count; a count of zero is an empty place.
#[derive(Clone, Copy, Default)]
struct Seen {
    bytes: u128,
    length: u8,
    count: u8,
}

const PLACES: usize = 8192;

impl Counter {
    pub fn new() -> Self {
        Self { seen: vec![Seen::default(); PLACES], merger: merge::Merger::default() }
    }

    pub fn count(&mut self, text: &str) -> usize {
        let mut total = 0;
        split::pieces(text, |piece| total += self.piece(piece.as_bytes()));
        total
    }

    fn piece(&mut self, piece: &[u8]) -> usize {
        if piece.len() == 1 {
            return 1;
        }
        if piece.len() > 16 {
            return self.merger.count(piece);
        }
        let mut padded = [0; 16];
        padded[..piece.len()].copy_from_slice(piece);
        let bytes = u128::from_le_bytes(padded);
        let place = vocabulary::hash(piece) as usize % PLACES;
        let seen = self.seen[place];
        if seen.count > 0 && seen.bytes == bytes && usize::from(seen.length) == piece.len() {
            return usize::from(seen.count);
        }
        let count = self.merger.count(piece);
        if let (Ok(length), Ok(count)) = (u8::try_from(piece.len()), u8::try_from(count)) {
            self.seen[place] = Seen { bytes, length, count };
        }
        count
    }
}

impl Default for Counter {
    fn default() -> Self {
        Self::new()
    }
}

impl fmt::Debug for Counter {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("Counter").finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Texts and the counts that tiktoken 0.14 gives for them.
    const COUNTED: &str = include_str!("counted.tsv");

    #[test]
    fn counts_are_those_of_tiktoken() {
        let mut rows = 0;
        for row in COUNTED.lines() {
            let (wanted, text) = row.split_once('\t').unwrap();
            let text: String = serde_json_string(text);
            assert_eq!(count(&text), wanted.parse::<usize>().unwrap(), "{text:?}");
            rows += 1;
        }
        assert!(rows > 300, "only {rows} rows");
    }

    #[test]
    fn what_was_seen_before_changes_nothing() {
        let text: String = COUNTED.repeat(2);
        let mut counter = Counter::new();
        let first = counter.count(&text);
        assert_eq!(counter.count(&text), first);
        assert_eq!(Counter::new().count(&text), first);
    }

    /// A JSON text of the test data, without a JSON library: only `\n`, `\t`, `\r`, `\\`, `\"` and `\uXXXX` occur.
    fn serde_json_string(quoted: &str) -> String {
        let inner = quoted.strip_prefix('"').unwrap().strip_suffix('"').unwrap();
        let (mut units, mut letters) = (Vec::new(), inner.chars());
        while let Some(letter) = letters.next() {
            let meant = match letter {
                '\\' => match letters.next().unwrap() {
                    'n' => '\n',
                    't' => '\t',
                    'r' => '\r',
                    'b' => '\u{8}',
                    'f' => '\u{c}',
                    'u' => {
                        let digits: String = letters.by_ref().take(4).collect();
                        units.push(u16::from_str_radix(&digits, 16).unwrap());
                        continue;
                    }
                    other => other,
                },
                other => other,
            };
            let mut buffer = [0; 2];
            units.extend_from_slice(meant.encode_utf16(&mut buffer));
        }
        String::from_utf16(&units).unwrap()
    }
}
