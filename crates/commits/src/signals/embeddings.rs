//! Vectors of a language model, where somebody gave them. The model was learned without; they move its answer a little.

use crate::signal::{Pair, Signal};

pub(super) const SIGNAL: Signal = Signal { name: "embeddings", features: &["embedding"], measure, reason };

fn measure(pair: &Pair<'_>, numbers: &mut [f32]) {
    numbers[0] = cosine(pair).unwrap_or(0.0);
}

fn reason(pair: &Pair<'_>) -> Option<String> {
    let percent = cosine(pair)? * 100.0;
    (percent >= 60.0).then(|| format!("their embeddings are {percent:.0} % alike"))
}

fn cosine(pair: &Pair<'_>) -> Option<f32> {
    let vectors =
        pair.tree.evidence.embeddings.filter(|vectors| vectors.len() == pair.tree.profiles.len())?;
    let (one, other) = (&vectors[pair.one], &vectors[pair.other]);
    let length = |vector: &[f32]| vector.iter().map(|value| value * value).sum::<f32>().sqrt();
    let product: f32 = one.iter().zip(other.iter()).map(|(one, other)| one * other).sum();
    let lengths = length(one) * length(other);
    (one.len() == other.len() && lengths > 0.0).then(|| product / lengths)
}
