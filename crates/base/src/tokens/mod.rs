//! How many tokens a text has in `o200k_base`, the encoding of GPT-4o: the same count as tiktoken's, and nothing to load.
//!
//! A text is cut into pieces as the encoding's pattern does (`split`, 64 bytes at once in `plain`), and each piece that was
//! not `seen` before is merged by the ranks of the vocabulary (`merge`), which is a table in the program itself
//! (`vocabulary`; written by `cargo xtask vocabulary`). Special tokens are ordinary text here, because source code is.

mod merge;
mod plain;
mod seen;
mod split;
mod vocabulary;

pub use vocabulary::{bits, hash};

/// The tokens of a text in `o200k_base`.
pub fn count(text: &str) -> usize {
    if seen::are_few(text) {
        counted::<{ seen::FEW_PLACES }>(text)
    } else {
        counted::<{ seen::PLACES }>(text)
    }
}

fn counted<const PLACES: u32>(text: &str) -> usize {
    let mut several = Several::<PLACES> { text: text.as_bytes(), tokens: 0 };
    let single = split::pieces(text, &mut several);
    several.tokens + single
}

/// The tokens of pieces of several bytes.
struct Several<'a, const PLACES: u32> {
    text: &'a [u8],
    tokens: usize,
}

impl<const PLACES: u32> split::Pieces for Several<'_, PLACES> {
    #[allow(
        clippy::inline_always,
        reason = "a call for every piece of all texts takes a third of what it is for"
    )]
    #[inline(always)]
    fn found(&mut self, start: usize, end: usize) {
        self.tokens += seen::count::<PLACES>(self.text, start, end);
    }
}

/// A place in every page of a table of zeros. Whoever will write there writes first, and reads then: memory that is read first
/// is made ready twice, and the second time stops every other processor that runs this program.
fn pages<T>(table: &[T]) -> impl Iterator<Item = &T> {
    const PAGE: usize = 4096;
    table.iter().step_by(PAGE / size_of::<T>()).chain(table.last())
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
        let first = count(&text);
        let again: Vec<_> = std::thread::scope(|scope| {
            let threads: Vec<_> = (0..4).map(|_| scope.spawn(|| count(&text))).collect();
            threads.into_iter().map(|thread| thread.join().unwrap()).collect()
        });
        assert_eq!(again, [first; 4]);
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
