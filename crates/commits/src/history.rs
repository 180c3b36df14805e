//! What past commits say: how common a name is, and which files change together. It owns the counts and their compact
//! form; which commits are read, and where the counts are kept, is `becket_engine`'s to decide.

use std::collections::{BTreeSet, HashMap};

use becket_diff::{FileChange, FilePath, Hunk, LineKind};

use crate::words::{hash, names, sub_words};

/// Counts over past commits. Names and paths are kept as hashes. Take in commits in any order, each once.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct History {
    /// Commits of which the patch was read, and in how many of them each name or word stood on a changed line.
    patches: u32,
    names: HashMap<u64, u32>,
    /// All commits, in how many each file changed, and each two files together.
    commits: u32,
    files: HashMap<u64, u32>,
    pairs: HashMap<u64, u32>,
}

/// What one past commit touched.
#[derive(Debug, Clone, Copy)]
pub struct Touched<'a> {
    pub paths: &'a [FilePath],
    /// Its patch, where it was read: names are learned from it.
    pub patch: Option<&'a [FileChange]>,
}

#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum HistoryError {
    #[error("these bytes are not counts of a history, or of another version of them")]
    Unreadable,
}

/// A commit that touches more files than this says nothing about any two of them.
const MOST_FILES: usize = 30;
/// So that one vendored library does not drown all other names.
const MOST_LINES: usize = 3_000;
const MAGIC: &[u8; 8] = b"bkhist\x00\x01";
const NAME: u64 = 0;
const WORD: u64 = 1;
const FILE: u64 = 2;

impl History {
    pub fn absorb(&mut self, commit: &Touched<'_>) {
        self.commits += 1;
        let files: BTreeSet<u64> = commit.paths.iter().map(|path| hash(FILE, path.as_bytes())).collect();
        for file in &files {
            *self.files.entry(*file).or_default() += 1;
        }
        if files.len() <= MOST_FILES {
            for (place, one) in files.iter().enumerate() {
                for other in files.iter().skip(place + 1) {
                    *self.pairs.entry(both(*one, *other)).or_default() += 1;
                }
            }
        }
        if let Some(patch) = commit.patch {
            self.patches += 1;
            for name in changed_names(patch) {
                *self.names.entry(name).or_default() += 1;
            }
        }
    }

    /// How many commits were taken in.
    pub fn commits(&self) -> u32 {
        self.commits
    }

    /// How rare a name is, from 0 (in every commit) to 1 (in none).
    pub(crate) fn rarity_of_name(&self, name: &[u8]) -> f32 {
        self.rarity(hash(NAME, name))
    }

    /// The same of a word inside names.
    pub(crate) fn rarity_of_word(&self, word: &[u8]) -> f32 {
        self.rarity(hash(WORD, word))
    }

    /// How often two files changed together, as a share of the times that the rarer one changed. Small counts are
    /// drawn towards zero.
    pub(crate) fn co_change(&self, one: &FilePath, other: &FilePath) -> f32 {
        let (one, other) = (hash(FILE, one.as_bytes()), hash(FILE, other.as_bytes()));
        let count = |file| self.files.get(&file).copied().unwrap_or_default();
        let together = self.pairs.get(&both(one, other)).copied().unwrap_or_default();
        as_float(together) / (as_float(count(one).min(count(other))) + 2.0)
    }

    pub(crate) fn times_together(&self, one: &FilePath, other: &FilePath) -> u32 {
        let key = both(hash(FILE, one.as_bytes()), hash(FILE, other.as_bytes()));
        self.pairs.get(&key).copied().unwrap_or_default()
    }

    fn rarity(&self, key: u64) -> f32 {
        // With little history every name would seem rare; a common one is then known only by its shape.
        let patches = as_float(self.patches) + 20.0;
        let count = as_float(self.names.get(&key).copied().unwrap_or_default());
        ((patches + 1.0) / (count + 1.0)).ln() / (patches + 1.0).ln()
    }

    /// Compact, and the same bytes for the same counts.
    pub fn to_bytes(&self) -> Vec<u8> {
        let mut bytes = MAGIC.to_vec();
        write_number(u64::from(self.patches), &mut bytes);
        write_number(u64::from(self.commits), &mut bytes);
        for counts in [&self.names, &self.files, &self.pairs] {
            let mut sorted: Vec<(u64, u32)> = counts.iter().map(|(key, count)| (*key, *count)).collect();
            sorted.sort_unstable();
            write_number(sorted.len() as u64, &mut bytes);
            let mut last = 0;
            for (key, count) in sorted {
                write_number(key - last, &mut bytes);
                write_number(u64::from(count), &mut bytes);
                last = key;
            }
        }
        bytes
    }

    pub fn from_bytes(bytes: &[u8]) -> Result<Self, HistoryError> {
        let mut rest = bytes.strip_prefix(MAGIC).ok_or(HistoryError::Unreadable)?;
        let mut history =
            Self { patches: read_count(&mut rest)?, commits: read_count(&mut rest)?, ..Self::default() };
        for counts in [&mut history.names, &mut history.files, &mut history.pairs] {
            let length = read_number(&mut rest)?;
            // An entry takes two bytes at least, so that a false length cannot ask for more memory than there are bytes.
            let length = usize::try_from(length).ok().filter(|length| *length <= rest.len() / 2);
            let length = length.ok_or(HistoryError::Unreadable)?;
            counts.reserve(length);
            let mut key: u64 = 0;
            for _ in 0..length {
                key = key.checked_add(read_number(&mut rest)?).ok_or(HistoryError::Unreadable)?;
                counts.insert(key, read_count(&mut rest)?);
            }
        }
        if rest.is_empty() { Ok(history) } else { Err(HistoryError::Unreadable) }
    }
}

fn changed_names(patch: &[FileChange]) -> BTreeSet<u64> {
    let lines = patch.iter().flat_map(FileChange::hunks).flat_map(Hunk::lines);
    let mut found = BTreeSet::new();
    for line in lines.filter(|line| line.kind != LineKind::Context).take(MOST_LINES) {
        for name in names(line.content) {
            if found.insert(hash(NAME, name)) {
                sub_words(name, |word| {
                    found.insert(hash(WORD, word));
                });
            }
        }
    }
    found
}

/// One key for two files, whichever comes first.
fn both(one: u64, other: u64) -> u64 {
    one.wrapping_add(other)
        ^ one.wrapping_mul(other | 1).wrapping_add(other.wrapping_mul(one | 1)).rotate_left(31)
}

#[allow(clippy::cast_precision_loss, reason = "counts of commits")]
fn as_float(count: u32) -> f32 {
    count as f32
}

fn write_number(mut number: u64, bytes: &mut Vec<u8>) {
    while number >= 0x80 {
        bytes.push((number & 0x7f) as u8 | 0x80);
        number >>= 7;
    }
    bytes.push((number & 0x7f) as u8);
}

fn read_number(bytes: &mut &[u8]) -> Result<u64, HistoryError> {
    let mut number = 0;
    for shift in (0..64).step_by(7) {
        let (byte, rest) = bytes.split_first().ok_or(HistoryError::Unreadable)?;
        *bytes = rest;
        number |= u64::from(byte & 0x7f) << shift;
        if byte & 0x80 == 0 {
            return Ok(number);
        }
    }
    Err(HistoryError::Unreadable)
}

fn read_count(bytes: &mut &[u8]) -> Result<u32, HistoryError> {
    u32::try_from(read_number(bytes)?).map_err(|_| HistoryError::Unreadable)
}
