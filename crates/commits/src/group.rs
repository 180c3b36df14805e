//! Units and evidence → groups of one intent each.

use serde::{Deserialize, Serialize};

use crate::change::{Change, Evidence};
use crate::unit::{HunkId, Unit};

/// Every unit stands in exactly one group. Groups are in the order of their first unit.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Grouping {
    pub groups: Vec<Group>,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Group {
    /// `group-1` is the first.
    pub id: String,
    /// The changes that it has a part of, in their order.
    pub change_ids: Vec<String>,
    pub hunks: Vec<HunkId>,
    /// What it does, in one line.
    pub summary: String,
    /// Why these units belong together, the strongest first. None for a group of one unit.
    pub reasons: Vec<Reason>,
    /// How sure it is that this is one intent and all of it, from 0 to 1.
    pub confidence: f64,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Reason {
    /// The signal that says so, `shared_names`.
    pub signal: String,
    /// For a person: "both use `parse_header`".
    pub text: String,
    /// The share of the group's pairs for which it holds, weighted by how much it counts; from 0 to 1.
    pub weight: f64,
}

/// Groups the units of `changes`, which must come from [`crate::units`].
pub fn group(changes: &[Change<'_>], units: &[Unit], evidence: &Evidence<'_>) -> Grouping {
    let _ = (changes, evidence);
    let group = Group {
        id: "group-1".to_owned(),
        change_ids: changes.iter().map(|change| change.id.to_owned()).collect(),
        hunks: units.iter().map(|unit| unit.id.clone()).collect(),
        summary: String::new(),
        reasons: Vec::new(),
        confidence: 0.0,
    };
    Grouping { groups: if units.is_empty() { Vec::new() } else { vec![group] } }
}
