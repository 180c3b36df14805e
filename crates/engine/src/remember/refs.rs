//! From code to reason and back: which code refers to an entry, which entries explain a place, and what hangs in the air.

use std::{collections::BTreeSet, sync::Arc};

use becket_base::RepoPath;
use becket_memory::{
    anchor::{Anchor, Target},
    references::Reference,
    search::Document,
};
use schemars::JsonSchema;
use serde::Serialize;

use super::{
    desk::Desk,
    freshness::{Judgement, Referrers},
    list::EntryRow,
    place::Scope,
    view::{AnchorView, CommitView, Freshness, ReferenceView, Wanted},
};
use crate::{Engine, Error};

/// With `reference`: the code that refers to an entry. With `target`: the entries that explain a place. With neither: what
/// hangs in the air.
#[derive(Debug, Clone, Default)]
pub struct RefsRequest {
    pub reference: Option<String>,
    /// `file`, `folder`, `file:10-20` or `file#declaration`.
    pub target: Option<String>,
    pub worktree: Option<String>,
}

#[derive(Debug, Clone, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct RefsAnswer {
    /// The entry that was asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub entry: Option<EntryRow>,
    /// Places in code that refer to it, by file and line.
    pub references: Vec<ReferenceView>,
    /// Places that it cites.
    pub anchors: Vec<AnchorView>,
    /// Entries that explain the place that was asked for, nearest first.
    pub explanations: Vec<Explanation>,
    /// References to entries that do not exist, in the place that was asked for or everywhere.
    pub dangling: Vec<ReferenceView>,
    /// Entries that cite nothing and that nothing refers to; only when no entry and no place was asked for.
    pub orphans: Vec<EntryRow>,
    /// What was left out.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cut: Option<String>,
    pub scope: Scope,
}

/// Why an entry explains a place.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Explanation {
    #[serde(rename = "ref")]
    pub reference: String,
    /// The entry's file.
    pub file: String,
    pub title: String,
    /// The place in code: `src/a.ts:12`, or the anchor that the entry cites.
    pub place: String,
    /// The declaration that the reference stands in or above, where one was recognised.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub declaration: Option<String>,
    pub state: Freshness,
    /// The commit that wrote the reference or the entry; absent while it is not committed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub since: Option<CommitView>,
    /// The commit that changed the code afterwards.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub by: Option<CommitView>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub superseded_by: Option<String>,
}

const MOST_ROWS: usize = 200;

impl Engine {
    pub fn context_refs(&self, request: &RefsRequest) -> Result<RefsAnswer, Error> {
        self.at_desk(request.worktree.as_deref(), |desk| {
            desk.read_entries()?;
            desk.read_references();
            let referrers = desk.referrers();
            let mut answer = RefsAnswer {
                entry: None,
                references: Vec::new(),
                anchors: Vec::new(),
                explanations: Vec::new(),
                dangling: Vec::new(),
                orphans: Vec::new(),
                cut: None,
                scope: desk.place.scope(),
            };
            if let Some(reference) = &request.reference {
                of_entry(desk, reference, &referrers, &mut answer)?;
            }
            if let Some(target) = &request.target {
                of_place(desk, target, &referrers, &mut answer)?;
            }
            if request.reference.is_none() && request.target.is_none() {
                answer.dangling = dangling(desk, &referrers, |_, _| true);
                answer.orphans = orphans(desk, &referrers);
            }
            desk.store_origins();
            cut(&mut answer);
            Ok(answer)
        })
    }
}

fn of_entry(
    desk: &mut Desk<'_>,
    reference: &str,
    referrers: &Referrers,
    answer: &mut RefsAnswer,
) -> Result<(), Error> {
    let found = desk.listing.find(reference, &desk.config, desk.log()).map(|listed| listed.file.clone());
    match found {
        Ok(file) => {
            let document = desk.document_of(&file)?;
            let Judgement { anchors, references } = desk.judge(&document, referrers);
            answer.entry = desk.row(&document, &Wanted::default(), referrers);
            answer.anchors = anchors;
            answer.references = references;
            Ok(())
        }
        Err(error) => {
            // The entry may be gone while code still refers to it: that is worth an answer.
            let number =
                becket_memory::naming::Naming::new(&desk.config, desk.log()).reference(reference).ok();
            let hanging = dangling(desk, referrers, |_, one| Some(one.number) == number);
            if hanging.is_empty() {
                return Err(error.into());
            }
            answer.dangling = hanging;
            Ok(())
        }
    }
}

fn of_place(
    desk: &mut Desk<'_>,
    target: &str,
    referrers: &Referrers,
    answer: &mut RefsAnswer,
) -> Result<(), Error> {
    let place = desk.understood_place(target)?;
    let documents: Vec<Arc<Document>> = desk.documents().to_vec();
    let mut found: Vec<(usize, Explanation)> = Vec::new();
    for document in &documents {
        let near_references = referrers.get(&document.number).is_some_and(|all| {
            all.iter().any(|(path, reference)| place.holds_reference(path, reference).is_some())
        });
        let near_anchors = document.front.anchors.iter().any(|cited| place.may_hold(cited));
        if !near_references && !near_anchors {
            continue;
        }
        let judged = desk.judge(document, referrers);
        let superseded_by = desk.successor(document).map(|successor| successor.reference);
        let explanation = |place: String, declaration: Option<String>, state, since, by| Explanation {
            reference: document.reference.clone(),
            file: document.file.clone(),
            title: document.title.clone(),
            place,
            declaration,
            state,
            since,
            by,
            superseded_by: superseded_by.clone(),
        };
        let written = referrers.get(&document.number).map(Vec::as_slice).unwrap_or_default();
        for ((path, reference), view) in written.iter().zip(judged.references) {
            if let Some(distance) = place.holds_reference(path, reference) {
                let at = format!("{}:{}", view.file, view.line);
                found.push((distance, explanation(at, view.declaration, view.state, view.since, view.by)));
            }
        }
        let introduced = desk.introduction(document);
        for view in judged.anchors {
            let cited = view.now.as_deref().unwrap_or(&view.anchor);
            if let Some(distance) = desk.holds_anchor(&place, cited) {
                found.push((
                    distance,
                    explanation(view.anchor.clone(), None, view.state, introduced.clone(), view.by),
                ));
            }
        }
    }
    found.sort_by(|(left, one), (right, other)| {
        left.cmp(right)
            .then_with(|| one.reference.cmp(&other.reference))
            .then_with(|| one.place.cmp(&other.place))
    });
    answer.explanations = found.into_iter().map(|(_, explanation)| explanation).collect();
    answer.dangling = dangling(desk, referrers, |path, one| place.holds_reference(path, one).is_some());
    Ok(())
}

/// A place that was asked about.
#[derive(Debug)]
struct AskedPlace {
    path: RepoPath,
    target: Target,
    /// The lines of a declaration, where it was found.
    lines: Option<(usize, usize)>,
}

impl AskedPlace {
    /// How far a reference is from the place, in kind: 0 in it, more the wider the piece is that holds both.
    fn holds_reference(&self, path: &RepoPath, reference: &Reference) -> Option<usize> {
        if *path != self.path {
            return (self.target == Target::File && path.starts_with(&self.path)).then_some(3);
        }
        match (&self.target, self.lines) {
            (Target::File, _) => Some(1),
            (_, Some(asked)) if overlap(asked, (reference.line, reference.line)) => Some(0),
            (_, Some(asked)) if overlap(asked, reference.lines) => Some(1),
            _ => None,
        }
    }

    fn may_hold(&self, cited: &str) -> bool {
        let plain = RepoPath::parse(cited).is_ok_and(|path| path.starts_with(&self.path));
        // A file that moved is compared where it is now, so the name alone may match.
        plain
            || Anchor::parse(cited, |_| false).is_ok_and(|anchor| {
                anchor.path.starts_with(&self.path) || anchor.path.file_name() == self.path.file_name()
            })
    }
}

impl Desk<'_> {
    fn understood_place(&self, target: &str) -> Result<AskedPlace, Error> {
        let anchor = Anchor::parse(target, |path| self.read_file(path).is_some())?;
        let lines = match &anchor.target {
            Target::File => None,
            Target::Lines(first, last) => Some((*first, *last)),
            Target::Declaration(_) => anchor.baseline(self.read_file(&anchor.path).as_deref())?.lines,
        };
        Ok(AskedPlace { path: anchor.path, target: anchor.target, lines })
    }

    fn holds_anchor(&self, place: &AskedPlace, cited: &str) -> Option<usize> {
        let anchor = Anchor::parse(cited, |path| self.read_file(path).is_some()).ok()?;
        if anchor.path != place.path {
            return (place.target == Target::File && anchor.path.starts_with(&place.path)).then_some(3);
        }
        match (&place.target, place.lines, &anchor.target) {
            (Target::File, _, _) | (_, None, _) => Some(1),
            (_, Some(_), Target::File) => Some(2),
            (_, Some(asked), Target::Lines(first, last)) => overlap(asked, (*first, *last)).then_some(0),
            (_, Some(asked), Target::Declaration(_)) => {
                let lines = anchor.baseline(self.read_file(&anchor.path).as_deref()).ok()?.lines?;
                overlap(asked, lines).then_some(0)
            }
        }
    }
}

fn overlap(left: (usize, usize), right: (usize, usize)) -> bool {
    left.0 <= right.1 && right.0 <= left.1
}

/// References to entries that are not there.
pub(super) fn dangling(
    desk: &Desk<'_>,
    referrers: &Referrers,
    wanted: impl Fn(&RepoPath, &Reference) -> bool,
) -> Vec<ReferenceView> {
    let existing: BTreeSet<u64> = desk.listing.entries.iter().map(|entry| entry.number).collect();
    let missing = referrers.iter().filter(|(number, _)| !existing.contains(number)).flat_map(|(_, all)| all);
    let mut views: Vec<ReferenceView> = missing
        .filter(|(path, reference)| wanted(path, reference))
        .map(|(path, reference)| ReferenceView {
            reference: desk.config.format_ref(reference.number),
            file: path.to_string(),
            line: reference.line,
            declaration: reference.declaration.clone(),
            state: Freshness::Gone,
            since: None,
            by: None,
        })
        .collect();
    views.sort_by(|left, right| {
        (&left.file, left.line, &left.reference).cmp(&(&right.file, right.line, &right.reference))
    });
    views
}

/// Entries that cite nothing and that nothing refers to.
pub(super) fn orphans(desk: &mut Desk<'_>, referrers: &Referrers) -> Vec<EntryRow> {
    let alone = |document: &&Arc<Document>| {
        document.front.anchors.is_empty() && referrers.get(&document.number).is_none_or(Vec::is_empty)
    };
    let documents: Vec<Arc<Document>> = desk.documents().iter().filter(alone).cloned().collect();
    documents.iter().filter_map(|document| desk.row(document, &Wanted::default(), referrers)).collect()
}

fn cut(answer: &mut RefsAnswer) {
    let mut left = Vec::new();
    let mut shorten = |name: &str, length: usize| {
        if length > MOST_ROWS {
            left.push(format!("{} {name}", length - MOST_ROWS));
        }
    };
    shorten("references", answer.references.len());
    shorten("explanations", answer.explanations.len());
    shorten("dangling references", answer.dangling.len());
    shorten("orphans", answer.orphans.len());
    answer.references.truncate(MOST_ROWS);
    answer.explanations.truncate(MOST_ROWS);
    answer.dangling.truncate(MOST_ROWS);
    answer.orphans.truncate(MOST_ROWS);
    if !left.is_empty() {
        answer.cut = Some(format!("{} are left out; ask for a narrower place.", left.join(", ")));
    }
}
