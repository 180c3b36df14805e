//! Words as numbers: what a text consists of, and which texts have a word. A word is known by a 64-bit digest of it, so that
//! nothing is kept twice; two words of one digest are less likely than a fault of the memory.
//!
//! A search looks through the words of every text in the order they stand: that needs neither sorting nor an index, which
//! would cost the first search of a process more than all that follow gain.

use std::{
    collections::HashMap,
    hash::{BuildHasherDefault, Hasher},
};

use super::words::words;

/// The words of a text: those of its title, then those of its body, of which the title is a part.
#[derive(Debug, Default)]
pub(super) struct Tokens {
    words: Box<[u64]>,
    title: usize,
}

/// Distinct words of a text and how much each counts, sorted.
#[derive(Debug, Default)]
pub(super) struct Terms {
    pub(super) counts: Vec<(u64, f32)>,
}

/// Words that are looked for, and how to pass over the others quickly.
#[derive(Debug)]
pub(super) struct Wanted {
    words: Vec<u64>,
    /// Whether a wanted word ends in this byte.
    ends: [bool; 256],
}

/// For every word, the texts that have it, by their place.
#[derive(Debug, Default)]
pub(super) struct Index {
    postings: HashMap<u64, Vec<u32>, BuildHasherDefault<AsItIs>>,
    texts: u32,
}

/// A word in the title says more about an entry than one in its text.
const TITLE_WEIGHT: f32 = 3.0;

impl Tokens {
    pub(super) fn of(title: &str, body: &str) -> Self {
        let mut all = Vec::with_capacity(body.len() / 5);
        words(title, |word| all.push(digest(word)));
        let title = all.len();
        words(body, |word| all.push(digest(word)));
        Self { words: all.into_boxed_slice(), title }
    }

    /// How long the text is, its weights counted in.
    #[expect(clippy::cast_precision_loss, reason = "counts of words")]
    pub(super) fn length(&self) -> f32 {
        (self.words.len() - self.title) as f32 + self.title as f32 * (TITLE_WEIGHT - 1.0)
    }

    /// Adds to `frequencies` how much each wanted word counts in this text.
    pub(super) fn count(&self, wanted: &Wanted, frequencies: &mut [f32]) {
        let (title, body) = self.words.split_at(self.title);
        for (words, weight) in [(title, TITLE_WEIGHT - 1.0), (body, 1.0)] {
            for word in words.iter().filter(|word| wanted.ends[usize::from(last_byte(**word))]) {
                if let Ok(place) = wanted.words.binary_search(word) {
                    frequencies[place] += weight;
                }
            }
        }
    }

    pub(super) fn terms(&self) -> Terms {
        let weight = |place: usize| if place < self.title { TITLE_WEIGHT - 1.0 } else { 1.0 };
        let mut all: Vec<(u64, f32)> =
            self.words.iter().enumerate().map(|(place, word)| (*word, weight(place))).collect();
        all.sort_unstable_by_key(|(word, _)| *word);
        all.dedup_by(|next, kept| {
            let same = next.0 == kept.0;
            if same {
                kept.1 += next.1;
            }
            same
        });
        Terms { counts: all }
    }
}

impl Wanted {
    pub(super) fn new(mut words: Vec<u64>) -> Self {
        words.sort_unstable();
        words.dedup();
        let mut ends = [false; 256];
        for word in &words {
            ends[usize::from(last_byte(*word))] = true;
        }
        Self { words, ends }
    }

    pub(super) fn len(&self) -> usize {
        self.words.len()
    }
}

fn last_byte(word: u64) -> u8 {
    word.to_le_bytes()[0]
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
