//! Words inside names, and the text around a change, tell what a unit is about even where no whole name is shared.

use crate::profile::cosine;
use crate::signal::{Pair, Signal};

pub(super) const SIGNAL: Signal =
    Signal { name: "text_similarity", features: &["words", "context"], measure, reason };

fn measure(pair: &Pair<'_>, numbers: &mut [f32]) {
    let (one, other) = pair.profiles();
    numbers[0] = cosine(&one.words, &other.words);
    numbers[1] = cosine(&one.context, &other.context);
}

fn reason(pair: &Pair<'_>) -> Option<String> {
    let (one, other) = pair.profiles();
    let percent = cosine(&one.words, &other.words) * 100.0;
    (percent >= 40.0).then(|| format!("their words are {percent:.0} % alike"))
}
