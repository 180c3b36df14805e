//! White space goes with white space, not with the code that it stands in.

use crate::signal::{Pair, Signal, flag};

pub(super) const SIGNAL: Signal =
    Signal { name: "formatting", features: &["both_formatting", "one_formatting"], measure, reason };

fn measure(pair: &Pair<'_>, numbers: &mut [f32]) {
    let (one, other) = pair.profiles();
    numbers[0] = flag(one.kinds.formatting && other.kinds.formatting);
    numbers[1] = flag(one.kinds.formatting != other.kinds.formatting);
}

fn reason(pair: &Pair<'_>) -> Option<String> {
    let (one, other) = pair.profiles();
    (one.kinds.formatting && other.kinds.formatting).then(|| "both change white space only".to_owned())
}
