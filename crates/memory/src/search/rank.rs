//! The ranking: literal matches first, as the seed promises each of them; within and after them BM25.

use std::{
    cmp::Ordering,
    collections::{BTreeMap, BTreeSet},
    sync::Arc,
};

use super::{
    corpus::{Corpus, Document},
    words::words,
};

/// One entry that was found.
#[derive(Debug, Clone)]
pub struct Hit {
    pub document: Arc<Document>,
    pub kind: HitKind,
    pub score: f32,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum HitKind {
    /// The query stands in the text, in any case.
    Literal,
    /// Words of the query, or of the identifiers in it, stand in the text.
    Words,
}

/// BM25's usual constants: how fast repetition stops counting, how much length counts against a text.
const SATURATION: f32 = 1.2;
const LENGTH: f32 = 0.75;

impl Corpus {
    /// Entries for a query, best first. An empty query finds every entry, in order.
    pub fn search(&self, query: &str) -> Vec<Hit> {
        let lower = query.to_lowercase();
        let scores = self.scores(&query_terms(query));
        let mut hits: Vec<Hit> = Vec::new();
        for (place, document) in self.documents().iter().enumerate() {
            let score = u32::try_from(place).ok().and_then(|place| scores.get(&place).copied());
            let literal = document.lower.contains(&lower);
            if literal || score.is_some() {
                let kind = if literal { HitKind::Literal } else { HitKind::Words };
                hits.push(Hit { document: Arc::clone(document), kind, score: score.unwrap_or(0.0) });
            }
        }
        // Newer before older where nothing else decides, except that an empty query lists.
        if !lower.is_empty() {
            hits.sort_by(|left, right| {
                left.kind
                    .cmp(&right.kind)
                    .then_with(|| right.score.partial_cmp(&left.score).unwrap_or(Ordering::Equal))
                    .then_with(|| right.document.number.cmp(&left.document.number))
                    .then_with(|| left.document.file.cmp(&right.document.file))
            });
        }
        hits
    }

    /// The BM25 score of every document that has one of the terms.
    #[expect(clippy::cast_precision_loss, reason = "counts of documents")]
    pub(super) fn scores(&self, terms: &BTreeSet<String>) -> BTreeMap<u32, f32> {
        let mut scores = BTreeMap::new();
        let documents = self.documents().len() as f32;
        let average = self.average_length();
        for term in terms {
            let postings = self.postings(term);
            let having = postings.len() as f32;
            let rarity = (1.0 + (documents - having + 0.5) / (having + 0.5)).ln();
            for (place, frequency) in postings {
                let Some(document) = self.documents().get(*place as usize) else { continue };
                let relative = document.length / average;
                let weight = frequency * (SATURATION + 1.0)
                    / (frequency + SATURATION * (1.0 - LENGTH + LENGTH * relative));
                *scores.entry(*place).or_insert(0.0) += rarity * weight;
            }
        }
        scores
    }
}

pub(super) fn query_terms(query: &str) -> BTreeSet<String> {
    let mut terms = BTreeSet::new();
    words(query, |word| {
        terms.insert(word.to_owned());
    });
    terms
}
