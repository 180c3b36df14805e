//! A lockfile goes with the manifest that it was made from.

use crate::place::Role;
use crate::signal::{Pair, Signal, flag};

pub(super) const SIGNAL: Signal =
    Signal { name: "lockfile", features: &["lockfile_and_manifest", "any_lockfile"], measure, reason };

fn measure(pair: &Pair<'_>, numbers: &mut [f32]) {
    let (one, other) = pair.places();
    numbers[0] = flag(is_pair(pair));
    numbers[1] = flag(one.role == Role::Lockfile) + flag(other.role == Role::Lockfile);
}

fn reason(pair: &Pair<'_>) -> Option<String> {
    let (one, other) = pair.places();
    let (lock, manifest) = if one.role == Role::Lockfile { (one, other) } else { (other, one) };
    is_pair(pair).then(|| format!("{} is made from {}", lock.file_name(), manifest.file_name()))
}

fn is_pair(pair: &Pair<'_>) -> bool {
    let (one, other) = pair.places();
    matches!((one.role, other.role), (Role::Lockfile, Role::Manifest) | (Role::Manifest, Role::Lockfile))
}
