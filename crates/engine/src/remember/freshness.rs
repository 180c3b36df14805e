//! The state of an entry: of every place that it cites and of every reference to it, computed from content and history
//! when it is read, never from age.

use std::{
    collections::{BTreeMap, BTreeSet},
    io::Read,
};

use becket_base::RepoPath;
use becket_git::provenance::{Cause, Provenance};
use becket_memory::{
    ContentHash,
    anchor::{Anchor, State, Target},
    log::Baseline,
    references::{Reference, references_in},
    search::Document,
};

use super::{
    desk::{Desk, FOLDER},
    view::{AnchorView, CommitView, Freshness, ReferenceView},
};

/// An entry's places and references, judged.
#[derive(Debug, Clone, Default)]
pub(super) struct Judgement {
    pub(super) anchors: Vec<AnchorView>,
    pub(super) references: Vec<ReferenceView>,
}

impl Judgement {
    /// The worst of all states.
    pub(super) fn state(&self) -> Freshness {
        let anchors = self.anchors.iter().map(|anchor| anchor.state);
        anchors
            .chain(self.references.iter().map(|reference| reference.state))
            .max()
            .unwrap_or(Freshness::Unanchored)
    }
}

/// References to entries, by number.
pub(super) type Referrers = BTreeMap<u64, Vec<(RepoPath, Reference)>>;

/// Commits that are looked at to find the one that changed a place.
const MOST_COMMITS: usize = 60;
const MOST_RENAMES: usize = 10;
/// Files that are compared to find one that moved without Git noticing.
const MOST_COMPARED: usize = 400;
const LARGEST_FILE: u64 = 16 * 1024 * 1024;

impl Desk<'_> {
    pub(super) fn referrers(&self) -> Referrers {
        let mut referrers = Referrers::new();
        for (path, reference) in self.references() {
            referrers.entry(reference.number).or_default().push((path, reference));
        }
        referrers
    }

    /// Judges one entry. References must have been read.
    pub(super) fn judge(&mut self, document: &Document, referrers: &Referrers) -> Judgement {
        let references = referrers.get(&document.number).cloned().unwrap_or_default();
        let paths: BTreeSet<RepoPath> = references.iter().map(|(path, _)| path.clone()).collect();
        self.read_origins(&paths);
        let verified: Vec<(Vec<ContentHash>, Option<String>)> = self
            .log()
            .verifications(document.number, &document.hash)
            .map(|event| (event.regions.clone(), event.head.clone()))
            .collect();
        let anchors = self
            .baselines(document)
            .into_iter()
            .map(|(baseline, since)| self.judge_anchor(&baseline, since.as_deref()));
        let anchors = anchors.collect();
        let references = references
            .iter()
            .map(|(path, reference)| self.judge_reference(document, path, reference, &verified))
            .collect();
        Judgement { anchors, references }
    }

    /// What each cited place is compared with, and the commit since which it may have changed.
    pub(super) fn baselines(&mut self, document: &Document) -> Vec<(Baseline, Option<String>)> {
        let file = format!("{FOLDER}/{}", document.file);
        let introduced = self.pasts().get(&file).map(|past| past.introduced.commit.clone());
        let created = self.creation(document.number, &document.hash);
        let created_at = created.and_then(|event| event.head.clone()).or_else(|| introduced.clone());
        let mut baselines: BTreeMap<String, (Baseline, Option<String>)> = created
            .into_iter()
            .flat_map(|event| &event.anchors)
            .map(|baseline| (baseline.anchor.clone(), (baseline.clone(), created_at.clone())))
            .collect();
        for event in self.log().verifications(document.number, &document.hash) {
            for baseline in &event.anchors {
                baselines.insert(baseline.anchor.clone(), (baseline.clone(), event.head.clone()));
            }
        }
        let mut all = Vec::new();
        for cited in &document.front.anchors {
            match self.spelled(cited).and_then(|anchor| baselines.remove(&anchor)) {
                Some(known) => all.push(known),
                // Written by hand, without an event: the commit that brought the entry is its creation.
                None => all.extend(self.committed_baseline(cited, introduced.as_deref())),
            }
        }
        all
    }

    fn spelled(&self, cited: &str) -> Option<String> {
        Anchor::parse(cited, |path| self.read_file(path).is_some()).ok().map(|anchor| anchor.to_string())
    }

    fn committed_baseline(
        &self,
        cited: &str,
        introduced: Option<&str>,
    ) -> Option<(Baseline, Option<String>)> {
        let past = self.place.past.as_ref()?;
        let commit = introduced?;
        let content = |path: &RepoPath| past.content(commit, path.as_str()).ok().flatten();
        let anchor = Anchor::parse(cited, |path| content(path).is_some()).ok()?;
        let baseline = anchor.baseline(content(&anchor.path).as_deref()).ok()?;
        Some((baseline, Some(commit.to_owned())))
    }

    fn judge_anchor(&self, baseline: &Baseline, since: Option<&str>) -> AnchorView {
        let view = |state: State, now: Option<String>, by: Option<Cause>| AnchorView {
            anchor: baseline.anchor.clone(),
            state: state.into(),
            now,
            by: by.as_ref().map(CommitView::from),
        };
        let Ok(anchor) = Anchor::parse(&baseline.anchor, |_| baseline.lines.is_none()) else {
            return view(State::Gone, None, None);
        };
        let found = self.follow_file(&anchor, baseline);
        let comparison = anchor.compare(baseline, found.content.as_deref());
        let moved_file = found.path != anchor.path;
        let state = match comparison.state {
            State::Fresh if moved_file => State::Moved,
            state => state,
        };
        let now = (state == State::Moved || (moved_file && state == State::Changed)).then(|| {
            let target = match (&anchor.target, comparison.lines) {
                (Target::Lines(..), Some((first, last))) => Target::Lines(first, last),
                (target, _) => target.clone(),
            };
            Anchor { path: found.path.clone(), target }.to_string()
        });
        let by = match (state, &self.place.past) {
            (State::Changed | State::Gone, Some(past)) if found.content.is_some() => {
                let same = |_: &str, content: &[u8]| {
                    !matches!(anchor.compare(baseline, Some(content)).state, State::Changed | State::Gone)
                };
                culprit(past, found.path.as_str(), since, &same)
            }
            (State::Gone | State::Moved, _) => found.by,
            _ => None,
        };
        view(state, now, by)
    }

    /// The file of an anchor, wherever it went.
    fn follow_file(&self, anchor: &Anchor, baseline: &Baseline) -> Found {
        let mut path = anchor.path.clone();
        let mut by = None;
        for _ in 0..MOST_RENAMES {
            if let Some(content) = self.read_file(&path) {
                return Found { path, content: Some(content), by };
            }
            let Some(past) = &self.place.past else { break };
            let uncommitted = past.uncommitted_rename(path.as_str()).ok().flatten();
            let removal = past.removal(path.as_str()).ok().flatten();
            let target = uncommitted.or_else(|| removal.as_ref().and_then(|one| one.renamed_to.clone()));
            by = removal.map(|removal| removal.cause).or(by);
            match target.and_then(|target| RepoPath::from_git(&target).ok()) {
                Some(target) if target != path => path = target,
                _ => break,
            }
        }
        self.same_content(anchor, baseline).unwrap_or(Found { path: anchor.path.clone(), content: None, by })
    }

    /// A file of the same name, or for a whole file of the same kind, that has exactly what was cited.
    fn same_content(&self, anchor: &Anchor, baseline: &Baseline) -> Option<Found> {
        let index = self.view.index.as_ref()?;
        let extension = |path: &RepoPath| {
            path.file_name().and_then(|name| name.rsplit_once('.')).map(|(_, end)| end.to_owned())
        };
        let likely = |path: &&RepoPath| match anchor.target {
            Target::File => extension(path) == extension(&anchor.path),
            _ => path.file_name() == anchor.path.file_name(),
        };
        let candidates = index.paths().filter(likely).take(MOST_COMPARED);
        candidates.into_iter().find_map(|path| {
            let content = self.read_file(path)?;
            let there = Anchor { path: path.clone(), target: anchor.target.clone() };
            let same = matches!(there.compare(baseline, Some(&content)).state, State::Fresh | State::Moved);
            same.then(|| Found { path: path.clone(), content: Some(content), by: None })
        })
    }

    fn judge_reference(
        &mut self,
        document: &Document,
        path: &RepoPath,
        reference: &Reference,
        verified: &[(Vec<ContentHash>, Option<String>)],
    ) -> ReferenceView {
        let origin = self.origin(path, reference).cloned().unwrap_or_default();
        let accepted = |region: &ContentHash| {
            origin.baseline.as_ref() == Some(region)
                || verified.iter().any(|(regions, _)| regions.contains(region))
        };
        let state = match &origin.baseline {
            None => State::Fresh,
            Some(_) if !accepted(&reference.region) => State::Changed,
            Some(_) if origin.path != path.as_str() => State::Moved,
            Some(_) => State::Fresh,
        };
        let by = match (state, &origin.culprit, &self.place.past) {
            (State::Changed, Some((region, by)), _) if *region == reference.region => by.clone(),
            (State::Changed, _, Some(past)) => {
                let since = verified.iter().rev().find_map(|(_, head)| head.clone());
                let since = since.or_else(|| origin.since.as_ref().map(|view| view.commit.clone()));
                let same = |path: &str, content: &[u8]| {
                    let then = references_in(path, &String::from_utf8_lossy(content));
                    then.iter().any(|one| one.number == reference.number && accepted(&one.region))
                };
                let by = culprit(past, path.as_str(), since.as_deref(), &same).as_ref().map(CommitView::from);
                self.keep_culprit(path, reference, by.clone());
                by
            }
            _ => None,
        };
        ReferenceView {
            reference: document.reference.clone(),
            file: path.to_string(),
            line: reference.line,
            declaration: reference.declaration.clone(),
            state: state.into(),
            since: origin.since,
            by,
        }
    }

    /// A file of the workspace, through the one function that admits paths.
    pub(super) fn read_file(&self, path: &RepoPath) -> Option<Vec<u8>> {
        let full = self.place.root.join(path.as_str());
        let file = self.place.sandbox.admit(full.as_os_str()).ok()?.open().ok()?;
        if !file.metadata().ok()?.is_file() {
            return None;
        }
        let mut content = Vec::new();
        file.take(LARGEST_FILE).read_to_end(&mut content).ok()?;
        Some(content)
    }
}

/// A file and where it was found.
#[derive(Debug)]
struct Found {
    path: RepoPath,
    content: Option<Vec<u8>>,
    /// The commit that moved or removed it.
    by: Option<Cause>,
}

/// The commit since which a file is no longer the `same`; nothing while that is not committed.
fn culprit(
    past: &Provenance,
    path: &str,
    since: Option<&str>,
    same: &dyn Fn(&str, &[u8]) -> bool,
) -> Option<Cause> {
    let touches = past.touches(path, since).ok()?;
    let is_same = |touch: &becket_git::provenance::Touch| {
        past.content(&touch.cause.commit, &touch.path)
            .ok()
            .flatten()
            .is_some_and(|content| same(&touch.path, &content))
    };
    let mut touches = touches.iter().take(MOST_COMMITS);
    let mut blamed = touches.next().filter(|newest| !is_same(newest))?;
    for touch in touches {
        if is_same(touch) {
            break;
        }
        blamed = touch;
    }
    Some(blamed.cause.clone())
}
