//! Entries that say nearly the same: the share of words that two texts have in common, weighted by how rare each is.

use std::{collections::BTreeMap, sync::Arc};

use super::{
    corpus::{Corpus, Document},
    index::Tokens,
};
use crate::entry::Entry;

#[derive(Debug, Clone)]
pub struct Similar {
    pub document: Arc<Document>,
    /// From 0 to 1.
    pub likeness: f32,
}

/// Above this, two entries of ordinary length share most of their rarer words.
const NEAR: f32 = 0.6;
const MOST_SHOWN: usize = 5;
/// Only the rarest words choose whom to compare with; the common ones are everywhere.
const CHOOSING_WORDS: usize = 16;
const MOST_COMPARED: usize = 50;
/// Words that are everywhere choose nobody.
const MOST_LOOKED_AT: usize = 20_000;

impl Corpus {
    /// Entries that a text nearly repeats, likest first.
    pub fn similar(&self, text: &str) -> Vec<Similar> {
        let entry = Entry::parse(text);
        let terms = Tokens::of(&entry.title(), entry.body).terms();
        let index = self.index();
        let mut rarest: Vec<(usize, u64)> = terms
            .counts
            .iter()
            .map(|(word, _)| (index.postings(*word).len(), *word))
            .filter(|(having, _)| *having > 0)
            .collect();
        rarest.sort_unstable();
        let mut shared: BTreeMap<u32, usize> = BTreeMap::new();
        let mut looked_at = 0;
        for (having, word) in rarest.iter().take(CHOOSING_WORDS) {
            looked_at += having;
            if looked_at > MOST_LOOKED_AT {
                break;
            }
            for place in index.postings(*word) {
                *shared.entry(*place).or_default() += 1;
            }
        }
        let mut candidates: Vec<(usize, u32)> =
            shared.into_iter().map(|(place, count)| (count, place)).collect();
        candidates.sort_unstable_by(|left, right| right.cmp(left));
        let mut similar: Vec<Similar> = candidates
            .into_iter()
            .take(MOST_COMPARED)
            .filter_map(|(_, place)| self.documents().get(place as usize))
            .map(|document| Similar {
                document: Arc::clone(document),
                likeness: self.likeness(&terms.counts, &document.tokens().terms().counts),
            })
            .filter(|one| one.likeness >= NEAR)
            .collect();
        similar.sort_by(|left, right| {
            right
                .likeness
                .total_cmp(&left.likeness)
                .then_with(|| left.document.number.cmp(&right.document.number))
        });
        similar.truncate(MOST_SHOWN);
        similar
    }

    /// Both lists are sorted by word.
    fn likeness(&self, left: &[(u64, f32)], right: &[(u64, f32)]) -> f32 {
        let (mut common, mut all) = (0.0, 0.0);
        let (mut left, mut right) = (left.iter().peekable(), right.iter().peekable());
        loop {
            let order = match (left.peek(), right.peek()) {
                (None, None) => break,
                (Some(_), None) => std::cmp::Ordering::Less,
                (None, Some(_)) => std::cmp::Ordering::Greater,
                (Some(one), Some(other)) => one.0.cmp(&other.0),
            };
            let term = match order {
                std::cmp::Ordering::Less => left.next(),
                std::cmp::Ordering::Greater => right.next(),
                std::cmp::Ordering::Equal => {
                    left.next();
                    right.next()
                }
            };
            let weight = term.map_or(0.0, |(word, _)| self.rarity(*word));
            all += weight;
            if order.is_eq() {
                common += weight;
            }
        }
        if all > 0.0 { common / all } else { 0.0 }
    }

    #[expect(clippy::cast_precision_loss, reason = "counts of documents")]
    fn rarity(&self, word: u64) -> f32 {
        let documents = self.documents().len() as f32;
        (2.0 + documents / (1.0 + self.index().postings(word).len() as f32)).ln()
    }
}
