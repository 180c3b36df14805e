//! Files that live near each other, or are called alike.

use crate::profile::ratio;
use crate::signal::{Pair, Signal, flag};

pub(super) const SIGNAL: Signal = Signal {
    name: "path",
    features: &["same_folder", "folder_nearness", "path_words", "same_ending", "same_role", "role_pair"],
    measure,
    reason,
};

fn measure(pair: &Pair<'_>, numbers: &mut [f32]) {
    let (one, other) = pair.places();
    numbers[0] = flag(one.folders == other.folders);
    numbers[1] = one.nearness(other);
    let mut common = 0;
    crate::profile::merge(&one.words, &other.words, Ord::cmp, |_, _| common += 1);
    numbers[2] = ratio(common, one.words.len() + other.words.len() - common);
    numbers[3] = flag(one.ending == other.ending);
    numbers[4] = flag(one.role == other.role);
    let (low, high) = (one.role.min(other.role) as u8, one.role.max(other.role) as u8);
    numbers[5] = f32::from(low) * 8.0 + f32::from(high);
}

fn reason(pair: &Pair<'_>) -> Option<String> {
    let (one, other) = pair.places();
    if pair.same_file() {
        return Some(format!("both are in {}", one.file_name()));
    }
    let folder = one.folders.join("/");
    (one.folders == other.folders && !folder.is_empty()).then(|| format!("both are in {folder}/"))
}
