//! Words and meaning in one ranking: the places of an entry in both are added up as reciprocals, so that no score of the one
//! need be weighed against a score of the other. Where meaning comes from is the caller's affair.

use std::{cmp::Ordering, collections::HashMap, sync::Arc};

use super::{
    corpus::{Corpus, Document},
    rank::{Hit, HitKind},
};

/// How slowly a place further down counts less; the usual constant.
const SMOOTHING: f32 = 60.0;
/// Entries that have none of the words, and are shown for their meaning alone.
const MOST_BY_MEANING: usize = 10;
/// Less than this is chance, whatever the model.
const LEAST_LIKENESS: f32 = 0.2;

impl Corpus {
    /// As [`Corpus::search`], with `likeness` (from -1 to 1, nothing if not known) blended in: literal matches are all still
    /// there and still first, and a few entries may follow that share no word with the query.
    pub fn search_with_meaning(&self, query: &str, likeness: impl Fn(&Document) -> Option<f32>) -> Vec<Hit> {
        let mut hits = self.search(query);
        if query.trim().is_empty() {
            return hits;
        }
        let mut by_meaning: Vec<(f32, &Arc<Document>)> =
            self.documents().iter().filter_map(|document| Some((likeness(document)?, document))).collect();
        by_meaning
            .sort_by(|left, right| right.0.total_cmp(&left.0).then_with(|| newest_first(left.1, right.1)));
        let mut by_words: Vec<usize> = (0..hits.len()).collect();
        by_words.sort_by(|left, right| hits[*right].score.total_cmp(&hits[*left].score));
        for (place, at) in by_words.into_iter().enumerate() {
            hits[at].score = reciprocal(place);
        }
        let mut places: HashMap<String, usize> =
            hits.iter().enumerate().map(|(at, hit)| (hit.document.file.clone(), at)).collect();
        let least = least_likeness(&by_meaning);
        let mut alone = 0;
        for (place, (likeness, document)) in by_meaning.into_iter().enumerate() {
            if let Some(at) = places.remove(&document.file) {
                hits[at].score += reciprocal(place);
            } else if likeness >= least && alone < MOST_BY_MEANING {
                alone += 1;
                let document = Arc::clone(document);
                hits.push(Hit { document, kind: HitKind::Meaning, score: reciprocal(place) });
            }
        }
        hits.sort_by(|left, right| {
            let behind = |hit: &Hit| hit.kind != HitKind::Literal;
            behind(left)
                .cmp(&behind(right))
                .then_with(|| right.score.total_cmp(&left.score))
                .then_with(|| newest_first(&left.document, &right.document))
        });
        hits
    }
}

#[expect(clippy::cast_precision_loss, reason = "counts of entries")]
fn reciprocal(place: usize) -> f32 {
    1.0 / (SMOOTHING + 1.0 + place as f32)
}

/// Models differ in what they call alike: what counts is to stand out, half-way from the usual to the best.
#[expect(clippy::cast_precision_loss, reason = "counts of entries")]
fn least_likeness(sorted: &[(f32, &Arc<Document>)]) -> f32 {
    let best = sorted.first().map_or(0.0, |(likeness, _)| *likeness);
    let mean = sorted.iter().map(|(likeness, _)| likeness).sum::<f32>() / sorted.len().max(1) as f32;
    f32::midpoint(best, mean).max(LEAST_LIKENESS)
}

fn newest_first(left: &Document, right: &Document) -> Ordering {
    right.number.cmp(&left.number).then_with(|| left.file.cmp(&right.file))
}
