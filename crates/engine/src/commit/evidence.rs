//! What is known besides the changes themselves: the history, and vectors where the user turned them on.

use std::sync::Arc;

use becket_commits::{Evidence, History, Part};
use becket_git::{Git, write::WritePlace};

use super::{cut::Cut, statistics::statistics};
use crate::Engine;

#[derive(Debug)]
pub(super) struct Known {
    history: History,
    /// For all units of the cut.
    vectors: Option<Vec<Arc<[f32]>>>,
    /// Why something is missing.
    pub(super) warnings: Vec<String>,
}

/// Lines of a text that a vector is made of, as the seed's original has it.
const EMBEDDED_LINES: usize = 200;

impl Engine {
    pub(super) fn known(&self, git: &Git, place: &WritePlace, cut: &Cut) -> Known {
        let history = statistics(git, place, cut.snapshot.trees.commit.as_deref());
        let mut known = Known { history, vectors: None, warnings: Vec::new() };
        let vectors = match self.embedder() {
            Ok(None) => return known,
            Ok(Some(embedder)) => {
                let texts = texts(cut);
                embedder.embed(&texts.iter().map(String::as_str).collect::<Vec<_>>())
            }
            Err(error) => Err(error),
        };
        match vectors {
            Ok(vectors) => known.vectors = Some(vectors),
            Err(error) => known.warnings.push(format!("grouped without embeddings: {error}")),
        }
        known
    }
}

impl Known {
    /// For some of the units, by their numbers. The vectors of these are put into `vectors`.
    pub(super) fn of<'a>(&'a self, units: &[usize], vectors: &'a mut Vec<Arc<[f32]>>) -> Evidence<'a> {
        if let Some(all) = &self.vectors {
            vectors.extend(units.iter().filter_map(|unit| all.get(*unit).cloned()));
        }
        let embeddings = self.vectors.is_some().then_some(vectors.as_slice());
        Evidence { history: &self.history, embeddings, contracts: &[], together: &[] }
    }
}

fn texts(cut: &Cut) -> Vec<String> {
    let changes = cut.changes();
    let text = |unit: &becket_commits::Unit| {
        let change = &changes[unit.change];
        let mut lines = vec![change.path().to_text().into_owned()];
        let whole = change.file.hunks().iter();
        let hunks = match &unit.part {
            Part::Lines(hunk) => vec![hunk],
            Part::File => whole.collect(),
            Part::Metadata => Vec::new(),
        };
        for hunk in hunks {
            lines.push(String::from_utf8_lossy(&hunk.header).into_owned());
            lines.extend(hunk.raw_lines().map(|line| String::from_utf8_lossy(line).into_owned()));
        }
        lines.truncate(EMBEDDED_LINES);
        lines.join("\n")
    };
    cut.units.iter().map(text).collect()
}
