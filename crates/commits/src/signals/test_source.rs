//! A test goes with what it tests: `parser.go` with `parser_test.go`, or a test that names what the source declares.

use crate::place::Role;
use crate::profile::merge;
use crate::signal::{Pair, Signal, flag};

pub(super) const SIGNAL: Signal = Signal {
    name: "test_source",
    features: &["same_stem", "test_of_source", "test_names_source"],
    measure,
    reason,
};

fn measure(pair: &Pair<'_>, numbers: &mut [f32]) {
    let (one, other) = pair.places();
    numbers[0] = flag(!pair.same_file() && same_stem(pair));
    numbers[1] = flag(is_pair(pair) && same_stem(pair));
    if (one.role == Role::Test) != (other.role == Role::Test) {
        let (one, other) = pair.profiles();
        merge(
            &one.names,
            &other.names,
            |a, b| a.0.cmp(&b.0),
            |a, _| {
                numbers[2] = numbers[2].max(pair.tree.rarity(a.0));
            },
        );
    }
}

fn reason(pair: &Pair<'_>) -> Option<String> {
    let (one, other) = pair.places();
    let (test, source) = if one.role == Role::Test { (one, other) } else { (other, one) };
    (is_pair(pair) && same_stem(pair)).then(|| format!("{} tests {}", test.file_name(), source.file_name()))
}

fn is_pair(pair: &Pair<'_>) -> bool {
    let (one, other) = pair.places();
    matches!((one.role, other.role), (Role::Test, Role::Source) | (Role::Source, Role::Test))
}

fn same_stem(pair: &Pair<'_>) -> bool {
    let (one, other) = pair.places();
    let (short, long) = if one.stem.len() <= other.stem.len() { (one, other) } else { (other, one) };
    short.stem == long.stem || (short.stem.len() > 3 && long.stem.starts_with(&short.stem))
}
