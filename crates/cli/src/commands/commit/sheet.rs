//! A plan as a text to edit, like the list of an interactive rebase, and the edits that a changed text means.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;

use becket_engine::{
    Error,
    commit::{HunkOutline, PlanEdit, ProposedCommits},
};

const HELP: &str = "\
#
# A `commit` line begins a commit: its id and title. Indented lines below it are its
# description, `hunk` lines what it commits: an id, and for you the file and a first line.
#
# Reword titles and descriptions; move `hunk` lines between commits; move whole commits to
# reorder them; take away a `commit` line to add its hunks to the commit above; write
# `commit new TITLE` for another one.
#
# Every hunk stays in the plan: one whose line is gone goes back to where it was. Lines
# with `#` are not read. An empty text changes nothing.
";

/// What a changed text asks for.
#[derive(Debug)]
pub(super) struct Rewrite {
    /// Each makes one new commit, in order.
    pub(super) splits: Vec<PlanEdit>,
    blocks: Vec<Block>,
    before: BTreeMap<String, (String, String)>,
    /// Hunk → the commit that it was in.
    homes: BTreeMap<String, String>,
    /// All commits in their order before, those that were applied included.
    order: Vec<String>,
    applied: Vec<String>,
}

#[derive(Debug, Default)]
struct Block {
    /// None for a new commit.
    id: Option<String>,
    title: String,
    description: String,
    hunks: Vec<String>,
}

pub(super) fn write(plan: &ProposedCommits, outline: &[HunkOutline]) -> String {
    let noun = if plan.commits.len() == 1 { "commit" } else { "commits" };
    let mut text = format!("# {} in {} {noun}\n{HELP}", plan.plan_id, plan.commits.len());
    for commit in plan.commits.iter().filter(|commit| commit.commit_sha.is_none()) {
        // Writing to a string cannot fail.
        let _ = writeln!(text, "\ncommit {} {}", commit.id, commit.title);
        for line in commit.description.lines() {
            let _ = writeln!(text, "    {line}");
        }
        for hunk in outline.iter().filter(|hunk| hunk.commit == commit.id) {
            let _ = writeln!(text, "hunk {} {} {}", hunk.id, shown(&hunk.file), shown(&hunk.text));
        }
    }
    text
}

/// On one line, whatever is in it.
fn shown(text: &str) -> String {
    text.chars().map(|letter| if letter.is_control() { '?' } else { letter }).collect()
}

pub(super) fn read(text: &str, plan: &ProposedCommits, outline: &[HunkOutline]) -> Result<Rewrite, Error> {
    let wrong = |number: usize, what: String| {
        Error::invalid("invalid_plan_text", format!("Line {} of the plan: {what}.", number + 1))
            .with_hint("Nothing was changed; run `becket commit edit` again.")
    };
    let pending: Vec<_> = plan.commits.iter().filter(|commit| commit.commit_sha.is_none()).collect();
    let is_pending = |id: &String| pending.iter().any(|commit| commit.id == *id);
    let homes: BTreeMap<String, String> = outline
        .iter()
        .filter(|hunk| is_pending(&hunk.commit))
        .map(|hunk| (hunk.id.clone(), hunk.commit.clone()))
        .collect();
    let mut blocks: Vec<Block> = Vec::new();
    let (mut seen, mut named) = (BTreeSet::new(), BTreeSet::new());
    for (number, line) in text.lines().enumerate() {
        if line.trim().is_empty() && blocks.last().is_none_or(|block| block.description.is_empty()) {
            continue;
        }
        if let Some(rest) = line.strip_prefix("commit ") {
            let (id, title) = rest.trim().split_once(' ').unwrap_or((rest.trim(), ""));
            let known = pending.iter().any(|commit| commit.id == id);
            if !known && id != "new" {
                return Err(wrong(number, format!("there is no pending commit `{id}`")));
            }
            if known && !named.insert(id.to_owned()) {
                return Err(wrong(number, format!("`{id}` is there twice")));
            }
            if title.trim().is_empty() {
                return Err(wrong(number, "a commit needs a title".to_owned()));
            }
            let id = known.then(|| id.to_owned());
            blocks.push(Block { id, title: title.trim().to_owned(), ..Block::default() });
        } else if let Some(hunk) = line.strip_prefix("hunk ") {
            let hunk = hunk.split_whitespace().next().unwrap_or_default().to_owned();
            if !homes.contains_key(&hunk) {
                return Err(wrong(number, format!("there is no hunk `{hunk}`")));
            }
            if !seen.insert(hunk.clone()) {
                return Err(wrong(number, format!("`{hunk}` is there twice")));
            }
            let block = blocks.last_mut();
            block.ok_or_else(|| wrong(number, "a hunk before the first commit".to_owned()))?.hunks.push(hunk);
        } else if line.starts_with('#') {
        } else if line.starts_with(' ') || line.trim().is_empty() {
            if let Some(block) = blocks.last_mut() {
                block.description.push_str(line.strip_prefix("    ").unwrap_or(line.trim_start()));
                block.description.push('\n');
            }
        } else {
            return Err(wrong(number, "it begins with neither `commit` nor `hunk`".to_owned()));
        }
    }
    let mut splits = Vec::new();
    for block in blocks.iter().filter(|block| block.id.is_none()) {
        let Some(home) = block.hunks.first().and_then(|hunk| homes.get(hunk)) else {
            return Err(Error::invalid("invalid_plan_text", format!("`{}` has no hunk.", block.title))
                .with_hint("Move a `hunk` line below it."));
        };
        let hunks = block.hunks.iter().filter(|hunk| homes.get(*hunk) == Some(home)).cloned().collect();
        splits.push(PlanEdit::Split { commit: home.clone(), hunks });
    }
    let before = pending
        .iter()
        .map(|commit| (commit.id.clone(), (commit.title.clone(), commit.description.clone())))
        .collect();
    let id = |commit: &becket_engine::commit::CommitPlan| commit.id.clone();
    let order = plan.commits.iter().map(id).collect();
    let applied = plan.commits.iter().filter(|commit| commit.commit_sha.is_some()).map(id).collect();
    Ok(Rewrite { splits, blocks, before, homes, order, applied })
}

impl Rewrite {
    /// The rest of the edits, once the new commits have these ids.
    pub(super) fn edits(&self, new: &[String]) -> Vec<PlanEdit> {
        let mut new = new.iter();
        let ids: Vec<Option<&String>> =
            self.blocks.iter().map(|block| block.id.as_ref().or_else(|| new.next())).collect();
        let blocks = || self.blocks.iter().zip(&ids).filter_map(|(block, id)| Some((block, (*id)?)));
        let mut edits = Vec::new();
        for (block, id) in blocks() {
            let hunks: Vec<String> =
                block.hunks.iter().filter(|hunk| self.homes.get(*hunk) != Some(id)).cloned().collect();
            let split_off = block.id.is_none() && self.all_split(block);
            if !(hunks.is_empty() || split_off) {
                edits.push(PlanEdit::Move { hunks, to: id.clone() });
            }
        }
        for (block, id) in blocks() {
            let known = self.before.get(id);
            if known.is_none_or(|(title, _)| *title != block.title) {
                edits.push(PlanEdit::Title { commit: id.clone(), title: block.title.clone() });
            }
            let description = block.description.trim().to_owned();
            if known.is_some_and(|(_, before)| before.trim() != description)
                || (known.is_none() && !description.is_empty())
            {
                edits.push(PlanEdit::Description { commit: id.clone(), description });
            }
        }
        let mut left: BTreeMap<&String, &String> = self.homes.iter().collect();
        for (block, id) in blocks() {
            left.extend(block.hunks.iter().map(|hunk| (hunk, id)));
        }
        let with_hunks: BTreeSet<&String> = left.into_values().collect();
        let mut order = self.applied.clone();
        let rest = blocks().map(|(_, id)| id).chain(&self.order);
        for id in rest.filter(|id| with_hunks.contains(id)) {
            if !order.contains(id) {
                order.push(id.clone());
            }
        }
        let was: Vec<&String> = self.order.iter().filter(|id| order.contains(id)).collect();
        if order.iter().ne(was) {
            edits.push(PlanEdit::Reorder { commits: order });
        }
        edits
    }

    /// Whether the split alone brought all hunks of a new commit.
    fn all_split(&self, block: &Block) -> bool {
        let mut homes = block.hunks.iter().map(|hunk| self.homes.get(hunk));
        let first = homes.next();
        homes.all(|home| Some(home) == first)
    }
}
