//! What the hunks of a plan are about, for a person who moves them around: each piece with its file and its first words.

use std::collections::BTreeMap;

use becket_commits::{Change, Part, Unit};
use becket_diff::{Hunk, LineKind};

use super::{ledger::Ledger, propose::chosen};
use crate::{Engine, Error};

/// One piece of a plan.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HunkOutline {
    /// `change-2-hunk-1`, or `change-2-hunk-1.2` for a piece of one.
    pub id: String,
    pub commit: String,
    pub file: String,
    /// The first line that it changes, with its mark.
    pub text: String,
}

const LONGEST: usize = 60;

impl Engine {
    /// Every piece of a plan, in the order of commits and files.
    pub fn plan_outline(
        &self,
        plan: Option<&str>,
        worktree: Option<&str>,
    ) -> Result<Vec<HunkOutline>, Error> {
        let desk = self.desk(worktree)?;
        let kept = chosen(&Ledger::read(&desk.write)?, plan)?;
        let cut = desk.recall(&kept.trees)?;
        let changes = cut.changes();
        let mut outline = Vec::new();
        for commit in &kept.plan.commits {
            for unit in commit.hunks.iter().filter_map(|id| cut.number(id)) {
                outline.push(HunkOutline {
                    id: cut.handles[unit].clone(),
                    commit: commit.id.clone(),
                    file: changes[cut.units[unit].change].path().to_text().into_owned(),
                    text: first_line(&changes, &cut.units[unit]),
                });
            }
        }
        Ok(outline)
    }
}

fn first_line(changes: &[Change<'_>], unit: &Unit) -> String {
    let file = changes[unit.change].file;
    let hunks: Vec<&Hunk> = match &unit.part {
        Part::Lines(hunk) => vec![hunk],
        Part::File => file.hunks().iter().collect(),
        Part::Metadata => return "name or mode".to_owned(),
    };
    let mut lines: BTreeMap<bool, String> = BTreeMap::new();
    for line in hunks.into_iter().flat_map(Hunk::lines).filter(|line| line.kind != LineKind::Context) {
        let text = String::from_utf8_lossy(line.content);
        if !text.trim().is_empty() {
            let shown = format!("{}{}", char::from(line.kind.marker()), text.trim());
            lines.entry(line.kind == LineKind::Removed).or_insert(shown);
        }
    }
    // What comes says more than what goes.
    let text = lines.into_values().next().unwrap_or_else(|| "white space, or no text".to_owned());
    becket_base::clip(&text, LONGEST).to_string()
}
