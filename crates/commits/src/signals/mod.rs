//! The signals, one file each, and their table.

mod co_change;
mod declaration;
mod definition_use;
mod distance;
mod documentation;
mod embeddings;
mod formatting;
mod lockfile;
mod path;
mod rename;
mod repetition;
mod shape;
mod shared_names;
mod test_source;
mod text_similarity;

use crate::signal::Signal;

/// In this order their numbers stand in the model, which is learned anew when a row changes.
pub(crate) static SIGNALS: &[Signal] = &[
    shared_names::SIGNAL,
    text_similarity::SIGNAL,
    definition_use::SIGNAL,
    declaration::SIGNAL,
    distance::SIGNAL,
    path::SIGNAL,
    test_source::SIGNAL,
    co_change::SIGNAL,
    rename::SIGNAL,
    repetition::SIGNAL,
    documentation::SIGNAL,
    formatting::SIGNAL,
    lockfile::SIGNAL,
    shape::SIGNAL,
    embeddings::SIGNAL,
];
