//! What a signal is: numbers about two units, and a reason that a person can read. The signals themselves, and their
//! table, are in `signals`; how much each counts is learned and stands in the model.

use crate::place::Place;
use crate::profile::{Profile, Tree};

pub(crate) struct Signal {
    /// Stable: it stands in answers and in the model.
    pub(crate) name: &'static str,
    /// One name for each number that `measure` writes.
    pub(crate) features: &'static [&'static str],
    /// Writes its numbers; they are the same whichever unit comes first.
    pub(crate) measure: fn(&Pair<'_>, &mut [f32]),
    /// Why these two belong together, where this signal says that they do.
    pub(crate) reason: fn(&Pair<'_>) -> Option<String>,
}

/// Two units of one tree.
#[derive(Clone, Copy)]
pub(crate) struct Pair<'t> {
    pub(crate) tree: &'t Tree<'t>,
    pub(crate) one: usize,
    pub(crate) other: usize,
}

impl<'t> Pair<'t> {
    pub(crate) fn profiles(&self) -> (&'t Profile, &'t Profile) {
        (&self.tree.profiles[self.one], &self.tree.profiles[self.other])
    }

    pub(crate) fn places(&self) -> (&'t Place, &'t Place) {
        let (one, other) = self.profiles();
        (&self.tree.places[one.place], &self.tree.places[other.place])
    }

    pub(crate) fn same_file(&self) -> bool {
        let (one, other) = self.profiles();
        one.place == other.place
    }
}

/// A yes or no as a number.
pub(crate) fn flag(value: bool) -> f32 {
    if value { 1.0 } else { 0.0 }
}
