//! Words as numbers: what a text consists of, and which texts have a word. A word is known by a 64-bit digest of it, so that
//! nothing is kept twice; two words of one digest are less likely than a fault of the memory.

use std::{
    collections::HashMap,
    hash::{BuildHasherDefault, Hasher},
};

use super::words::words;

/// Distinct words of a text and how much each counts, sorted; and how long that makes the text.
#[derive(Debug, Default)]
pub(super) struct Terms {
    pub(super) counts: Vec<(u64, f32)>,
    pub(super) length: f32,
}

/// For every word, the texts that have it, by their place.
#[derive(Debug, Default)]
pub(super) struct Index {
    postings: HashMap<u64, Vec<u32>, BuildHasherDefault<AsItIs>>,
    texts: u32,
}

/// A word in the title says more about an entry than one in its text.
const TITLE_WEIGHT: f32 = 3.0;

impl Terms {
    pub(super) fn of(title: &str, body: &str) -> Self {
        let mut all: Vec<(u64, f32)> = Vec::new();
        words(body, |word| all.push((digest(word), 1.0)));
        words(title, |word| all.push((digest(word), TITLE_WEIGHT - 1.0)));
        let length = all.iter().map(|(_, weight)| weight).sum();
        all.sort_unstable_by_key(|(word, _)| *word);
        all.dedup_by(|next, kept| {
            let same = next.0 == kept.0;
            if same {
                kept.1 += next.1;
            }
            same
        });
        Self { counts: all, length }
    }

    /// How much a word counts in this text; zero if it does not have it.
    pub(super) fn frequency(&self, word: u64) -> f32 {
        self.counts.binary_search_by_key(&word, |(known, _)| *known).map_or(0.0, |at| self.counts[at].1)
    }
}

impl Index {
    /// Adds the text that comes next.
    pub(super) fn add(&mut self, terms: &Terms) {
        for (word, _) in &terms.counts {
            self.postings.entry(*word).or_default().push(self.texts);
        }
        self.texts += 1;
    }

    pub(super) fn postings(&self, word: u64) -> &[u32] {
        self.postings.get(&word).map_or(&[], Vec::as_slice)
    }
}

pub(super) fn digest(word: &str) -> u64 {
    // FNV-1a: words are short, and nobody gains by making two of them meet.
    word.bytes()
        .fold(0xcbf2_9ce4_8422_2325, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3))
}

/// The keys are digests already.
#[derive(Debug, Default)]
struct AsItIs(u64);

impl Hasher for AsItIs {
    fn finish(&self) -> u64 {
        self.0
    }

    fn write_u64(&mut self, value: u64) {
        self.0 = value;
    }

    /// Only numbers are hashed here.
    fn write(&mut self, bytes: &[u8]) {
        self.0 = bytes.iter().fold(self.0, |value, byte| value.rotate_left(8) ^ u64::from(*byte));
    }
}
