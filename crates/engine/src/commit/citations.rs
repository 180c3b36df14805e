//! Notes of `.context/` and what they belong to: the changed code that they cite or that cites them, and for a line of
//! their log the note that it is about. Read from the changes themselves.

use std::collections::{BTreeMap, BTreeSet};

use becket_commits::{Change, Companion};
use becket_diff::{Hunk, LineKind};
use becket_git::write::{StepStage, read_blobs_up_to};
use becket_memory::{
    anchor::{Anchor, Target},
    front_matter::FrontMatter,
    log::Event,
    references::references_in,
};

use super::{cut::Cut, desk::Desk};

/// Where notes lie.
const FOLDER: &str = ".context";
const LOG: &str = "log.jsonl";
/// Longer files are generated.
const LONGEST: usize = 2 << 20;

/// A changed file of a vault.
struct Kept<'a> {
    change: usize,
    /// The folder that holds `.context`, with a slash behind it; nothing at the root.
    root: &'a str,
    name: &'a str,
}

/// Units are told by their number in the cut. Those of logs come last: they follow the notes.
pub(super) fn citations(desk: &Desk, cut: &Cut) -> Vec<Companion> {
    let changes = cut.changes();
    let paths: Vec<String> = changes.iter().map(|change| change.path().to_text().into_owned()).collect();
    let kept: Vec<Kept<'_>> =
        paths.iter().enumerate().filter_map(|(change, path)| Kept::of(change, path)).collect();
    if kept.is_empty() {
        return Vec::new();
    }
    let tree = Changed { desk, cut, paths: &paths, changes: &changes };
    let mentions = tree.mentions();
    let mut companions = Vec::new();
    let (logs, notes): (Vec<&Kept<'_>>, Vec<&Kept<'_>>) = kept.iter().partition(|kept| kept.name == LOG);
    for note in notes {
        companions.extend(tree.of_note(note, &mentions));
    }
    for log in logs {
        companions.extend(tree.of_log(log));
    }
    companions
}

impl<'a> Kept<'a> {
    fn of(change: usize, path: &'a str) -> Option<Self> {
        let (folder, name) = path.rsplit_once('/')?;
        let root = folder.strip_suffix(FOLDER)?;
        (root.is_empty() || root.ends_with('/')).then_some(Self { change, root, name })
    }
}

struct Changed<'a> {
    desk: &'a Desk,
    cut: &'a Cut,
    paths: &'a [String],
    changes: &'a [Change<'a>],
}

impl Changed<'_> {
    fn of_note(&self, note: &Kept<'_>, mentions: &BTreeMap<u64, BTreeSet<usize>>) -> Vec<Companion> {
        let content = self.content(note.change).map(|content| String::from_utf8_lossy(&content).into_owned());
        let text = content.unwrap_or_default();
        let front = FrontMatter::split(&text).map(|(front, _)| front).unwrap_or_default();
        let digits = note.name.trim_start_matches(|letter: char| !letter.is_ascii_digit());
        let digits = digits.split(|letter: char| !letter.is_ascii_digit()).next().unwrap_or_default();
        let title = if digits.is_empty() { note.name } else { digits };
        let mut with = BTreeSet::new();
        let mut reason = None;
        for anchor in &front.anchors {
            let found = self.cited(note.root, anchor);
            if !found.is_empty() {
                reason.get_or_insert_with(|| format!("note {title} cites `{anchor}`"));
            }
            with.extend(found);
        }
        if let Some(found) = digits.parse::<u64>().ok().and_then(|number| mentions.get(&number)) {
            let place = found.first().map(|unit| self.paths[self.cut.units[*unit].change].clone());
            reason = reason.or_else(|| place.map(|place| format!("{place} refers to note {title}")));
            with.extend(found);
        }
        if with.is_empty() {
            let named = (0..self.changes.len()).filter(|change| is_named(&text, &self.paths[*change]));
            for change in named.filter(|change| Kept::of(*change, &self.paths[*change]).is_none()) {
                reason.get_or_insert_with(|| format!("note {title} speaks of {}", self.paths[change]));
                with.extend(self.units_of(change));
            }
        }
        let Some(reason) = reason else { return Vec::new() };
        let with: Vec<usize> = with.into_iter().collect();
        let companion =
            |unit| Companion { unit, with: with.clone(), signal: "citation", reason: reason.clone() };
        self.units_of(note.change).map(companion).collect()
    }

    /// Each line goes with its note, or with what it says of code where the note itself has not changed.
    fn of_log(&self, log: &Kept<'_>) -> Vec<Companion> {
        let mut companions = Vec::new();
        for unit in self.units_of(log.change) {
            let text = match self.cut.units[unit].hunk() {
                Some(hunk) => added(std::slice::from_ref(hunk)),
                None => added(self.changes[log.change].file.hunks()),
            };
            let events = text.lines().filter_map(|line| serde_json::from_str::<Event>(line).ok());
            let (mut with, mut about) = (BTreeSet::new(), None);
            for event in events {
                let (number, file, anchors) = match event {
                    Event::Created(event) => (event.number, Some(event.file), event.anchors),
                    Event::Renumbered(event) => (event.to, Some(event.file), Vec::new()),
                    Event::Verified(event) => (event.number, None, event.anchors),
                };
                about.get_or_insert(number);
                let path = file.map(|file| format!("{}{FOLDER}/{file}", log.root));
                let note = self.paths.iter().position(|known| Some(known) == path.as_ref());
                match note {
                    Some(note) => with.extend(self.units_of(note)),
                    None => with.extend(anchors.iter().flat_map(|one| self.cited(log.root, &one.anchor))),
                }
            }
            if let (Some(number), false) = (about, with.is_empty()) {
                let reason = format!("the log tells of note {number:05}");
                companions.push(Companion {
                    unit,
                    with: with.into_iter().collect(),
                    signal: "citation",
                    reason,
                });
            }
        }
        companions
    }

    /// The changed units that an anchor means; all of the file where it is not known which.
    fn cited(&self, root: &str, anchor: &str) -> BTreeSet<usize> {
        let is_file = |path: &str| self.paths.iter().any(|known| *known == format!("{root}{path}"));
        let Ok(anchor) = Anchor::parse(anchor, |path| is_file(path.as_str())) else { return BTreeSet::new() };
        let path = format!("{root}{}", anchor.path.as_str());
        let mut exact = BTreeSet::new();
        let mut whole = BTreeSet::new();
        for change in (0..self.changes.len()).filter(|change| self.is_at(*change, &path)) {
            whole.extend(self.units_of(change));
            if anchor.target == Target::File {
                continue;
            }
            let content = self.content(change);
            let lines = anchor.baseline(content.as_deref()).ok().and_then(|baseline| baseline.lines);
            exact.extend(lines.into_iter().flat_map(|(first, last)| self.units_at(change, first, last)));
        }
        if exact.is_empty() { whole } else { exact }
    }

    /// Comments on added lines that refer to notes, by number.
    fn mentions(&self) -> BTreeMap<u64, BTreeSet<usize>> {
        let mut found: BTreeMap<u64, BTreeSet<usize>> = BTreeMap::new();
        for change in 0..self.changes.len() {
            let hunks = self.changes[change].file.hunks();
            let mentions = hunks.iter().any(|hunk| becket_memory::code::may_mention(&hunk.body));
            if !mentions || Kept::of(change, &self.paths[change]).is_some() {
                continue;
            }
            let Some(content) = self.content(change) else { continue };
            for one in references_in(&self.paths[change], &String::from_utf8_lossy(&content)) {
                let here = self.units_at(change, one.line, one.line);
                found.entry(one.number).or_default().extend(here);
            }
        }
        found
    }

    fn is_at(&self, change: usize, path: &str) -> bool {
        let old = self.changes[change].file.old.as_ref().map(|side| side.path.to_text());
        self.paths[change] == path || old.is_some_and(|old| old == path)
    }

    fn units_of(&self, change: usize) -> impl Iterator<Item = usize> {
        self.cut
            .units
            .iter()
            .enumerate()
            .filter(move |(_, unit)| unit.change == change)
            .map(|(number, _)| number)
    }

    /// Units that made or touched lines of the new file, or took some away there.
    fn units_at(&self, change: usize, first: usize, last: usize) -> Vec<usize> {
        let meets = |unit: &usize| {
            self.cut.units[*unit].hunk().is_none_or(|hunk| {
                let end = hunk.new.start + hunk.new.lines.saturating_sub(1);
                hunk.new.start <= last && first <= end
            })
        };
        self.units_of(change).filter(meets).collect()
    }

    /// The file after the change, as far as somebody may have written it.
    fn content(&self, change: usize) -> Option<Vec<u8>> {
        let step = self.cut.snapshot.steps().nth(change)?;
        let sides = match step.stage {
            StepStage::Staged => &self.cut.snapshot.staged,
            StepStage::Unstaged => &self.cut.snapshot.unstaged,
        };
        let id = sides.get(&step.file.new.as_ref()?.path)?.new.as_ref()?.id.as_str();
        let objects = self.desk.write.objects();
        let read = read_blobs_up_to(self.desk.git.clone(), Some(&objects), &[id], LONGEST).ok()?;
        read.into_iter().next().flatten()
    }
}

fn added(hunks: &[Hunk]) -> String {
    let lines = hunks.iter().flat_map(Hunk::lines).filter(|line| line.kind == LineKind::Added);
    lines.map(|line| String::from_utf8_lossy(line.content).into_owned() + "\n").collect()
}

/// Whether a text names a path as a whole.
fn is_named(text: &str, path: &str) -> bool {
    let is_part = |letter: char| letter.is_alphanumeric() || "_-/.".contains(letter);
    text.match_indices(path).any(|(place, _)| {
        let before = text[..place].chars().next_back();
        let mut after = text[place + path.len()..].chars();
        let next = after.next();
        // A full stop ends a sentence, unless a name goes on behind it.
        let goes_on = match next {
            Some('.') => after.next().is_some_and(char::is_alphanumeric),
            Some(letter) => is_part(letter),
            None => false,
        };
        !before.is_some_and(is_part) && !goes_on
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_is_named_as_a_whole_only() {
        assert!(is_named("see src/a.rs.", "src/a.rs"));
        assert!(is_named("`src/a.rs`, and", "src/a.rs"));
        assert!(!is_named("see src/a.rs.bak", "src/a.rs"));
        assert!(!is_named("see lib/src/a.rs", "src/a.rs"));
        assert!(!is_named("see src/a.rst", "src/a.rs"));
    }
}
