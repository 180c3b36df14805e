//! Groups → ordered commits with messages. A plan is data; nothing is done by making one.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;

use serde::{Deserialize, Serialize};

use crate::change::{Breaking, Change, Evidence};
use crate::gist::Gist;
use crate::group::{Group, Grouping, Reason, reasons_of};
use crate::message::{Kind, message};
use crate::order::{joined, order, requirements};
use crate::unit::{HunkId, Unit};

/// Commits in the order in which they are to be made. Every unit is in exactly one.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Plan {
    pub commits: Vec<PlannedCommit>,
    /// What an edit of the plan must keep.
    pub requirements: Vec<Requirement>,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct PlannedCommit {
    /// `commit-1` is the first when the plan is made. An edit never gives an id to another commit.
    pub id: String,
    pub group_ids: Vec<String>,
    /// In the order of the units.
    pub hunks: Vec<HunkId>,
    /// One line, as Conventional Commits has it.
    pub title: String,
    pub body: String,
    pub trailers: Vec<Trailer>,
    /// Promises that it breaks, one line each: footers of the message, unless a caller gave the body.
    #[serde(default)]
    pub breaking: Vec<String>,
    /// Commits of this plan that come first because this one builds on them.
    pub depends_on: Vec<String>,
    pub reasons: Vec<Reason>,
    /// Whether a caller gave the title or the body, which are then never derived again.
    #[serde(default)]
    pub title_given: bool,
    #[serde(default)]
    pub body_given: bool,
}

impl PlannedCommit {
    /// Title, body and trailers as they are given to Git. Ends with a newline.
    pub fn message(&self) -> String {
        let mut message = format!("{}\n", self.title);
        if !self.body.trim().is_empty() {
            let _ = write!(message, "\n{}\n", self.body.trim_end());
        }
        // A paragraph of its own: its key is none that Git takes for a trailer, and would hide those beside it.
        for (place, text) in self.breaking.iter().filter(|_| !self.body_given).enumerate() {
            let gap = if place == 0 { "\n" } else { "" };
            let _ = writeln!(message, "{gap}BREAKING CHANGE: {text}");
        }
        for (place, trailer) in self.trailers.iter().enumerate() {
            let gap = if place == 0 { "\n" } else { "" };
            let _ = writeln!(message, "{gap}{}: {}", trailer.key, trailer.value);
        }
        message
    }
}

/// `Context: 00012` or `Task: T12`.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Trailer {
    pub key: String,
    pub value: String,
}

/// `hunk` cannot be committed before `needs` is: lines of a renamed file before its rename, an unstaged edit of a line
/// before the staged one below it. Two that need each other go into one commit.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Requirement {
    pub hunk: HunkId,
    pub needs: HunkId,
}

/// Orders the groups and words a commit for each. Groups that need each other become one commit, and files of a group
/// in which only white space changed become a commit of their own, with those of other groups. Groups may be fewer
/// than there are units; the plan is then about those.
pub fn plan(changes: &[Change<'_>], units: &[Unit], evidence: &Evidence<'_>, grouping: &Grouping) -> Plan {
    let places: BTreeMap<&HunkId, usize> =
        units.iter().enumerate().map(|(place, unit)| (&unit.id, place)).collect();
    let mut bins: Vec<Vec<usize>> = Vec::new();
    let mut formatting: Vec<usize> = Vec::new();
    for group in &grouping.groups {
        let members: Vec<usize> = group.hunks.iter().filter_map(|hunk| places.get(hunk).copied()).collect();
        let (format, rest) = without_formatting(changes, units, members);
        formatting.extend(format);
        bins.push(rest);
    }
    bins.push(formatting);
    for bin in &mut bins {
        bin.sort_unstable();
        bin.dedup();
    }
    bins.retain(|bin| !bin.is_empty());
    let requirements = requirements(changes, units, evidence.together);
    let bins = joined(bins, units, &requirements);
    let drafts: Vec<(PlannedCommit, Kind)> =
        bins.iter().map(|bin| draft(changes, units, grouping, bin, evidence)).collect();
    let ranks: Vec<Kind> = drafts.iter().map(|(_, kind)| *kind).collect();
    let order = order(changes, units, &bins, &requirements, &ranks, evidence.contracts);
    let ids: BTreeMap<usize, String> =
        order.order.iter().enumerate().map(|(rank, bin)| (*bin, format!("commit-{}", rank + 1))).collect();
    let mut commits: Vec<(usize, PlannedCommit)> = drafts
        .into_iter()
        .enumerate()
        .map(|(bin, (commit, _))| {
            let mut depends: Vec<usize> = order.before[bin].iter().copied().collect();
            depends.sort_by_key(|other| order.order.iter().position(|bin| bin == other));
            let depends_on = depends.iter().map(|other| ids[other].clone()).collect();
            let rank = order.order.iter().position(|other| *other == bin).unwrap_or_default();
            (rank, PlannedCommit { id: ids[&bin].clone(), depends_on, ..commit })
        })
        .collect();
    commits.sort_by_key(|(rank, _)| *rank);
    let mut commits: Vec<PlannedCommit> = commits.into_iter().map(|(_, commit)| commit).collect();
    mark_breaking(&mut commits, units, evidence.breaking);
    Plan { commits, requirements }
}

/// How many broken promises a message tells of.
const MOST_BREAKING: usize = 8;

/// Writes into commits, in their order, which promises they break. A title that a caller gave is left as it is.
pub(crate) fn mark_breaking(commits: &mut [PlannedCommit], units: &[Unit], breaking: &[Breaking]) {
    for commit in commits.iter_mut() {
        commit.breaking.clear();
    }
    for broken in breaking {
        let touches = |commit: &&mut PlannedCommit| {
            broken
                .units
                .iter()
                .filter_map(|place| units.get(*place))
                .any(|unit| commit.hunks.contains(&unit.id))
        };
        if let Some(commit) = commits.iter_mut().find(touches) {
            commit.breaking.push(broken.text.clone());
        }
    }
    for commit in commits {
        let more = commit.breaking.len().saturating_sub(MOST_BREAKING);
        commit.breaking.truncate(MOST_BREAKING);
        if more > 0 {
            commit.breaking.push(format!("and {more} more"));
        }
        if !commit.title_given {
            commit.title = marked(&commit.title, !commit.breaking.is_empty());
        }
    }
}

/// `feat(scope): text` with or without the `!` of a breaking change.
fn marked(title: &str, breaking: bool) -> String {
    let Some((head, text)) = title.split_once(": ") else { return title.to_owned() };
    let mark = if breaking { "!" } else { "" };
    format!("{}{mark}: {text}", head.trim_end_matches('!'))
}

/// Words a commit of the units at these places. It has no id and depends on nothing yet.
fn draft(
    changes: &[Change<'_>],
    units: &[Unit],
    grouping: &Grouping,
    bin: &[usize],
    evidence: &Evidence<'_>,
) -> (PlannedCommit, Kind) {
    let members: Vec<&Unit> = bin.iter().map(|place| &units[*place]).collect();
    let ids: BTreeSet<&HunkId> = members.iter().map(|unit| &unit.id).collect();
    let groups: Vec<_> =
        grouping.groups.iter().filter(|group| group.hunks.iter().any(|hunk| ids.contains(hunk))).collect();
    // The reasons of a group speak of all its units.
    let whole = |group: &&Group| group.hunks.len() == ids.len();
    let reasons = match groups.as_slice() {
        [group] if whole(group) => group.reasons.clone(),
        _ => {
            let own: Vec<Unit> = members.iter().map(|unit| (*unit).clone()).collect();
            reasons_of(changes, &own, evidence)
        }
    };
    let words = message(changes, &members, &reasons, evidence.contracts);
    let commit = PlannedCommit {
        id: String::new(),
        group_ids: groups.iter().map(|group| group.id.clone()).collect(),
        hunks: members.iter().map(|unit| unit.id.clone()).collect(),
        title: words.title,
        body: words.body,
        trailers: words.trailers,
        breaking: Vec::new(),
        depends_on: Vec::new(),
        reasons,
        title_given: false,
        body_given: false,
    };
    (commit, words.kind)
}

/// Units of files in which this group changes only white space, and the rest. A group that is nothing else stays whole.
fn without_formatting(
    changes: &[Change<'_>],
    units: &[Unit],
    members: Vec<usize>,
) -> (Vec<usize>, Vec<usize>) {
    let all: Vec<&Unit> = members.iter().map(|place| &units[*place]).collect();
    let gist = Gist::of(changes, &all, &[]);
    if gist.formatting || !gist.files.iter().any(|file| file.formatting) {
        return (Vec::new(), members);
    }
    let plain: BTreeSet<&str> =
        gist.files.iter().filter(|file| file.formatting).map(|file| file.place.text.as_str()).collect();
    let other: BTreeSet<&str> =
        gist.files.iter().filter(|file| !file.formatting).map(|file| file.place.text.as_str()).collect();
    members.into_iter().partition(|place| {
        let path = changes[units[*place].change].path().to_text();
        plain.contains(path.as_ref()) && !other.contains(path.as_ref())
    })
}
