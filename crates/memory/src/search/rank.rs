//! The ranking: literal matches first, as the seed promises each of them; within and after them BM25.

use std::{collections::BTreeSet, sync::Arc};

use super::{
    corpus::{Corpus, Document},
    index::{Wanted, digest},
    parallel::in_chunks,
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
    /// Nothing of the query does, but it means nearly the same.
    Meaning,
}

/// BM25's usual constants: how fast repetition stops counting, how much length counts against a text.
const SATURATION: f32 = 1.2;
const LENGTH: f32 = 0.75;

impl Corpus {
    /// Entries for a query, best first. An empty query finds every entry, in order.
    pub fn search(&self, query: &str) -> Vec<Hit> {
        let mut hits: Vec<Hit> = self
            .ranks(query)
            .into_iter()
            .zip(self.documents())
            .filter(|(rank, _)| rank.literal || rank.score > 0.0)
            .map(|(rank, document)| Hit {
                document: Arc::clone(document),
                kind: if rank.literal { HitKind::Literal } else { HitKind::Words },
                score: rank.score,
            })
            .collect();
        // Newer before older where nothing else decides, except that an empty query lists.
        if !query.is_empty() {
            hits.sort_by(|left, right| {
                left.kind
                    .cmp(&right.kind)
                    .then_with(|| right.score.total_cmp(&left.score))
                    .then_with(|| right.document.number.cmp(&left.document.number))
                    .then_with(|| left.document.file.cmp(&right.document.file))
            });
        }
        hits
    }

    /// Every document in their order: whether the query stands in it, and its BM25 score, zero if it has none of the words.
    #[expect(
        clippy::cast_precision_loss,
        clippy::cast_possible_truncation,
        reason = "counts of documents and words"
    )]
    fn ranks(&self, query: &str) -> Vec<Rank> {
        let lower = query.to_lowercase();
        let finder = memchr::memmem::Finder::new(lower.as_bytes());
        let wanted = Wanted::new(query_terms(query).iter().map(|term| digest(term)).collect());
        let looked_through = in_chunks(self.documents(), |documents| {
            let mut found = Found::default();
            for document in documents {
                found.literal.push(finder.find(document.lower().as_bytes()).is_some());
                if wanted.len() > 0 {
                    let start = found.frequencies.len();
                    found.frequencies.resize(start + wanted.len(), 0.0);
                    document.tokens().count(&wanted, &mut found.frequencies[start..]);
                    found.lengths.push(document.tokens().length());
                }
            }
            found
        });
        let mut all = Found::default();
        for found in looked_through {
            all.literal.extend(found.literal);
            all.frequencies.extend(found.frequencies);
            all.lengths.extend(found.lengths);
        }
        if wanted.len() == 0 {
            return all.literal.into_iter().map(|literal| Rank { literal, score: 0.0 }).collect();
        }
        let documents = all.literal.len() as f32;
        let mut having = vec![0.0_f32; wanted.len()];
        for row in all.frequencies.chunks_exact(wanted.len()) {
            for (having, frequency) in having.iter_mut().zip(row) {
                *having += f32::from(u8::from(*frequency > 0.0));
            }
        }
        let rarity: Vec<f32> =
            having.iter().map(|having| (1.0 + (documents - having + 0.5) / (having + 0.5)).ln()).collect();
        let total: f64 = all.lengths.iter().copied().map(f64::from).sum();
        let average = ((total / all.lengths.len().max(1) as f64) as f32).max(1.0);
        let rows = all.frequencies.chunks_exact(wanted.len());
        rows.zip(&all.lengths)
            .zip(all.literal)
            .map(|((row, length), literal)| {
                let length = 1.0 - LENGTH + LENGTH * length / average;
                let score = |(frequency, rarity): (&f32, &f32)| {
                    rarity * frequency * (SATURATION + 1.0) / (frequency + SATURATION * length)
                };
                Rank { literal, score: row.iter().zip(&rarity).map(score).sum() }
            })
            .collect()
    }
}

/// What one document is to a query.
#[derive(Debug, Clone, Copy)]
struct Rank {
    literal: bool,
    score: f32,
}

/// What was seen in a run of documents.
#[derive(Debug, Default)]
struct Found {
    literal: Vec<bool>,
    /// A row for each document, a column for each wanted word.
    frequencies: Vec<f32>,
    lengths: Vec<f32>,
}

pub(super) fn query_terms(query: &str) -> BTreeSet<String> {
    let mut terms = BTreeSet::new();
    words(query, |word| {
        terms.insert(word.to_owned());
    });
    terms
}
