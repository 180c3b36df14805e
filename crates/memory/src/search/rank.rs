//! The ranking: literal matches first, as the seed promises each of them; within and after them BM25.

use std::{cmp::Ordering, collections::BTreeSet, sync::Arc};

use super::{
    corpus::{Corpus, Document},
    index::digest,
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
        let finder = memchr::memmem::Finder::new(lower.as_bytes());
        let mut hits: Vec<Hit> = Vec::new();
        for (document, score) in self.documents().iter().zip(scores) {
            let literal = finder.find(document.lower().as_bytes()).is_some();
            if literal || score > 0.0 {
                let kind = if literal { HitKind::Literal } else { HitKind::Words };
                hits.push(Hit { document: Arc::clone(document), kind, score });
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

    /// The BM25 score of every document, in their order; zero for one that has none of the terms.
    ///
    /// Each document is asked for each term: for a question of a few words that is quicker than making the index which
    /// [`Corpus::similar`] needs, and hardly slower than having it.
    #[expect(
        clippy::cast_precision_loss,
        clippy::cast_possible_truncation,
        reason = "counts of documents and words"
    )]
    fn scores(&self, terms: &BTreeSet<String>) -> Vec<f32> {
        let mut scores = vec![0.0; self.documents().len()];
        if terms.is_empty() {
            return scores;
        }
        let documents = self.documents().len() as f32;
        let texts = self.terms();
        let total: f64 = texts.iter().map(|terms| f64::from(terms.length)).sum();
        let average = ((total / texts.len().max(1) as f64) as f32).max(1.0);
        for term in terms {
            let word = digest(term);
            let frequencies: Vec<f32> = texts.iter().map(|terms| terms.frequency(word)).collect();
            let having = frequencies.iter().filter(|frequency| **frequency > 0.0).count() as f32;
            let rarity = (1.0 + (documents - having + 0.5) / (having + 0.5)).ln();
            for ((score, frequency), terms) in scores.iter_mut().zip(frequencies).zip(&texts) {
                let length = 1.0 - LENGTH + LENGTH * terms.length / average;
                *score += rarity * frequency * (SATURATION + 1.0) / (frequency + SATURATION * length);
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
