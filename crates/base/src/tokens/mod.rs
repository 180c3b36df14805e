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
    brief: Vec<Brief>,
    short: Vec<Short>,
    /// How far a product is moved to be a place among either.
    shift: u32,
    /// Pieces that were not among them.
    missed: usize,
    merger: merge::Merger,
}

/// A piece, exactly, and its count: the bytes, in the highest byte their number, and above that the tokens. Most pieces are
/// brief, and half the room is found in half the time.
type Brief = u64;
type Short = u128;

/// Places to begin with, and once more pieces were missed than these are: who counts a few short texts is done before the
/// room for many would have been made.
const FEW: usize = 1 << 10;
const MANY: usize = 1 << 15;
/// In a place that has no piece yet: the number of bytes is none that a key has.
const NO_BRIEF: Brief = Brief::MAX;
const NO_SHORT: Short = Short::MAX;
/// So many bytes and their number go into a key.
const BRIEF: usize = 7;
const SHORT: usize = 15;
/// Where the number of tokens stands, which is no larger than that of bytes.
const BRIEF_COUNT: u32 = 60;
const SHORT_COUNT: u32 = 124;

impl Counter {
    pub fn new() -> Self {
        let merger = merge::Merger::default();
        let mut counter = Self { brief: Vec::new(), short: Vec::new(), shift: 0, missed: 0, merger };
        counter.make_room(FEW);
        counter
    }

    fn make_room(&mut self, places: usize) {
        // Not zeros: the system would hand out each page twice, first to be read and then to be written.
        self.brief = vec![NO_BRIEF; places];
        self.short = vec![NO_SHORT; places];
        self.shift = 64 - places.trailing_zeros();
    }

    pub fn count(&mut self, text: &str) -> usize {
        let bytes = text.as_bytes();
        let mut total = 0;
        split::pieces(text, |start, end| {
            total += if end - start == 1 { 1 } else { self.piece(bytes, start, end) };
        });
        total
    }

    #[inline]
    fn piece(&mut self, text: &[u8], start: usize, end: usize) -> usize {
        let length = end - start;
        if length <= BRIEF {
            let key = brief_key(text, start, length);
            let known = self.brief[place(key, self.shift)];
            if known & !(0xf << BRIEF_COUNT) == key {
                return (known >> BRIEF_COUNT) as usize;
            }
            let count = self.new_piece(&text[start..end]);
            self.brief[place(key, self.shift)] = key | (count as u64) << BRIEF_COUNT;
            return count;
        }
        if length > SHORT {
            return self.merger.count(&text[start..end]);
        }
        let key = short_key(text, start, length);
        let known = self.short[place(folded(key), self.shift)];
        if known & !(0xf << SHORT_COUNT) == key {
            return (known >> SHORT_COUNT) as usize;
        }
        let count = self.new_piece(&text[start..end]);
        self.short[place(folded(key), self.shift)] = key | (count as u128) << SHORT_COUNT;
        count
    }

    #[cold]
    fn new_piece(&mut self, piece: &[u8]) -> usize {
        self.missed += 1;
        if self.missed == FEW {
            self.make_room(MANY);
        }
        self.merger.count(piece)
    }
}

/// The bytes of a brief piece in a number, with their number.
#[inline]
fn brief_key(text: &[u8], start: usize, length: usize) -> Brief {
    u64::from_le_bytes(bytes_at(text, start)) & ((1 << (8 * length)) - 1) | (length as u64) << 56
}

/// The same for a longer one.
#[inline]
fn short_key(text: &[u8], start: usize, length: usize) -> Short {
    u128::from_le_bytes(bytes_at(text, start)) & ((1 << (8 * length)) - 1) | (length as u128) << 120
}

/// So many bytes as there is room for: reading all of them and leaving out what is too much is faster than copying a few.
/// Zeros where the text has no more.
#[inline]
fn bytes_at<const SIZE: usize>(text: &[u8], start: usize) -> [u8; SIZE] {
    let whole = text.get(start..start + SIZE).and_then(|bytes| bytes.try_into().ok());
    whole.unwrap_or_else(|| {
        let (rest, mut padded) = (&text[start..], [0; SIZE]);
        padded[..rest.len()].copy_from_slice(rest);
        padded
    })
}

#[inline]
#[expect(clippy::cast_possible_truncation, reason = "a half at a time is wanted")]
fn folded(key: Short) -> u64 {
    (key as u64) ^ ((key >> 64) as u64).rotate_left(29)
}

#[inline]
#[expect(clippy::cast_possible_truncation, reason = "a few bits are wanted")]
fn place(key: u64, shift: u32) -> usize {
    (key.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> shift) as usize
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
