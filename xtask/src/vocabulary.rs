//! Writes the table that `becket_base::tokens` counts with, from a vocabulary file of tiktoken.
//!
//! The file (`o200k_base.tiktoken`) is in the crate `tiktoken-rs`, and its lines are a token in base64 and its rank.

#![allow(clippy::cast_possible_truncation, reason = "a table of two megabytes and a vocabulary of 200,000")]
#![allow(clippy::disallowed_methods, reason = "reads a vocabulary and writes a table")]

use std::path::{Path, PathBuf};

use becket_base::tokens::{bits, hash};
use regex::Regex;

const BUCKETS: usize = 1 << 16;
const TABLE: &str = "crates/base/src/tokens/o200k_base.bin";

#[derive(Debug, thiserror::Error)]
pub(crate) enum Error {
    #[error("cannot read or write {path}")]
    File { path: PathBuf, source: std::io::Error },
    #[error("line {0} is not a token and its rank")]
    Line(usize),
    #[error("a class of characters is not known")]
    Class(#[from] regex::Error),
}

/// Reads the vocabulary and writes the table; gives the number of tokens.
pub(crate) fn write(root: &Path, vocabulary: &Path) -> Result<usize, Error> {
    let failed = |path: &Path| {
        let path = path.to_path_buf();
        move |source| Error::File { path, source }
    };
    let text = std::fs::read_to_string(vocabulary).map_err(failed(vocabulary))?;
    let mut buckets: Vec<Vec<(Vec<u8>, u32)>> = vec![Vec::new(); BUCKETS];
    let mut count = 0;
    for (number, line) in text.lines().enumerate() {
        let (token, rank) = line.split_once(' ').ok_or(Error::Line(number + 1))?;
        let token = base64(token).ok_or(Error::Line(number + 1))?;
        let rank: u32 = rank.trim().parse().map_err(|_| Error::Line(number + 1))?;
        buckets[(hash(&token) >> 16) as usize].push((token, rank));
        count += 1;
    }
    let ranges = ranges()?;
    let mut table = Vec::new();
    table.extend((ranges.len() as u32).to_le_bytes());
    table.extend(ranges.iter().flat_map(|range| range.to_le_bytes()));
    let mut entries = Vec::new();
    for bucket in &mut buckets {
        let filter = bucket.iter().fold(0, |filter, (token, _)| filter | bits(hash(token)));
        table.extend((entries.len() as u64 | filter).to_le_bytes());
        bucket.sort_by_key(|(_, rank)| *rank);
        for (token, rank) in bucket {
            entries.push(token.len() as u8);
            entries.extend(&rank.to_le_bytes()[..3]);
            entries.extend(token.iter());
        }
    }
    table.extend((entries.len() as u64).to_le_bytes());
    table.extend(entries);
    let path = root.join(TABLE);
    std::fs::write(&path, table).map_err(failed(&path))?;
    Ok(count)
}

/// Runs of characters of one class: the first character, with the class in the highest byte.
fn ranges() -> Result<Vec<u32>, Error> {
    let classes = [r"^[\p{Lu}\p{Lt}]$", r"^\p{Ll}$", r"^[\p{Lm}\p{Lo}]$", r"^\p{M}$", r"^\p{N}$", r"^\s$"];
    let classes = classes.iter().map(|class| Regex::new(class)).collect::<Result<Vec<_>, _>>()?;
    let mut ranges: Vec<u32> = Vec::new();
    let mut last = None;
    let mut buffer = [0; 4];
    for letter in '\0'..=char::MAX {
        let text: &str = letter.encode_utf8(&mut buffer);
        let class = classes.iter().position(|class| class.is_match(text)).map_or(0, |at| at as u32 + 1);
        if last != Some(class) {
            ranges.push(letter as u32 | (class << 24));
            last = Some(class);
        }
    }
    Ok(ranges)
}

fn base64(text: &str) -> Option<Vec<u8>> {
    let mut bytes = Vec::new();
    let (mut bits, mut held) = (0_u32, 0);
    for letter in text.bytes().take_while(|letter| *letter != b'=') {
        let value = match letter {
            b'A'..=b'Z' => letter - b'A',
            b'a'..=b'z' => letter - b'a' + 26,
            b'0'..=b'9' => letter - b'0' + 52,
            b'+' => 62,
            b'/' => 63,
            _ => return None,
        };
        bits = ((bits << 6) | u32::from(value)) & 0xffff;
        held += 6;
        if held >= 8 {
            held -= 8;
            bytes.push(((bits >> held) & 0xff) as u8);
        }
    }
    Some(bytes)
}
